import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { type Endpoint, isReadOnly, priceSentence } from '../http/endpoint.ts';
import { validationError } from '../http/error-responses.ts';
import type { RequestInput } from '../http/validate.ts';
import { assistantText } from './assistant-text.ts';
import { SHARED, toolNameOf } from './tool-names.ts';
import {
  type Document,
  type Fields,
  inputOf,
  type Operation,
  outputOf,
  type Schema,
} from './tool-schemas.ts';
import { TOOLSET_OF, type Toolset } from './toolsets.ts';

export type ToolDefinition = {
  name: string;
  title: string;
  description: string;
  inputSchema: Schema;
  outputSchema?: Schema;
  annotations: {
    readOnlyHint: boolean;
    destructiveHint?: boolean;
    openWorldHint: boolean;
    idempotentHint?: true;
  };
};

export type Tool = { definition: ToolDefinition; toolset: Toolset; endpoints: readonly Endpoint[] };

export type Arguments = Readonly<Record<string, unknown>>;

/** Default page size for tools. */
const PAGE_SIZE = 25;

/**
 * The tools by name. Most endpoints have one, some share one, some have none.
 * @param document the OpenAPI document
 */
export function toolsOf(endpoints: readonly Endpoint[], document: Document): Map<string, Tool> {
  const operations = new Map(
    Object.values(document.paths)
      .flatMap(path => Object.values(path))
      .map(operation => [operation.operationId, operation]),
  );
  const names = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    const name = toolNameOf(endpoint.operationId);
    if (name !== undefined) names.set(name, [...(names.get(name) ?? []), endpoint]);
  }
  const bodies = new Map<string, string>();
  const definitions = new Map<string, ToolDefinition>();
  return new Map(
    [...names].map(([name, own]) => {
      const order = SHARED[name] ?? [];
      own.sort((a, b) => order.indexOf(a.operationId) - order.indexOf(b.operationId));
      const theirs = own.map(endpoint => operations.get(endpoint.operationId)!);
      const body = theirs.at(-1)!.requestBody?.content['application/json'].schema.$ref as string | undefined;
      const as = body && bodies.get(body);
      if (body !== undefined && as === undefined) bodies.set(body, name);
      const definition = define(name, own, theirs, document, as);
      definitions.set(name, definition);
      const created = definitions.get(name.replace(/^update_/, 'create_'));
      return [
        name,
        {
          definition:
            created === undefined || created === definition
              ? definition
              : withoutRepeats(definition, created),
          toolset: TOOLSET_OF[own[0]!.tag],
          endpoints: own,
        },
      ];
    }),
  );
}

function define(
  name: string,
  endpoints: readonly Endpoint[],
  operations: readonly Operation[],
  document: Document,
  /** Another tool that describes the same request body. */
  as: string | undefined,
): ToolDefinition {
  const last = endpoints.at(-1)!;
  const told = (text: string) => assistantText(document.paths, text);
  const { method, response, metering } = last;
  const title = endpoints.length > 1 ? `${endpoints[0]!.summary}; ${last.summary}` : last.summary;
  const outputSchema = outputOf(document, operations);
  // Skip traces query an outside provider and are recorded.
  const traces = endpoints.some(({ rate }) => rate === 'skip_trace');
  const reads = endpoints.every(isReadOnly);
  const removes = method === 'delete';
  return {
    name,
    title,
    description: `${told(last.description)}${as === undefined ? '' : ` Same arguments as ${as}.`} Price: ${told(priceSentence(metering))}.`,
    inputSchema: as === undefined ? paged(inputOf(document, operations)) : { type: 'object', properties: {} },
    ...(outputSchema && { outputSchema }),
    annotations: {
      readOnlyHint: reads,
      ...(!reads && { destructiveHint: removes }),
      openWorldHint: traces,
      // A 200 means that repeating the call creates nothing.
      ...(!reads && (removes || response.also?.[200] !== undefined) && { idempotentHint: true }),
    },
  };
}

/** Arguments that are the same as those of another tool have only their names. */
function withoutRepeats(definition: ToolDefinition, { name, inputSchema }: ToolDefinition): ToolDefinition {
  const described = inputSchema.properties as Fields;
  const own = Object.entries(definition.inputSchema.properties as Fields);
  const isRepeated = ([field, schema]: [string, Schema]) => isDeepStrictEqual(schema, described[field]);
  const properties = Object.fromEntries(
    own.map(([field, schema]) => [field, isRepeated([field, schema]) ? {} : schema]),
  );
  return {
    ...definition,
    description: `${definition.description} Arguments as in ${name}.`,
    inputSchema: { ...definition.inputSchema, properties },
  };
}

function paged(schema: Schema): Schema {
  const properties = schema.properties as Record<string, Schema>;
  const size = properties.page_size;
  if (size === undefined) return schema;
  return { ...schema, properties: { ...properties, page_size: { ...size, default: PAGE_SIZE } } };
}

export function endpointFor({ endpoints }: Tool, args: Arguments): Endpoint {
  return (
    endpoints.find(({ params }) => namesOf(params).some(name => isGiven(args[name]))) ?? endpoints.at(-1)!
  );
}

/**
 * The arguments as a request to the endpoint. An argument that is null counts as absent.
 * @throws PlatError `validation_error` if a required place is missing
 */
export function requestOf({ endpoints }: Tool, endpoint: Endpoint, args: Arguments): RequestInput {
  const places = endpoints.map(({ params }) => namesOf(params));
  if (
    places.length > 1 &&
    places.every(names => names.length > 0 && !names.some(name => isGiven(args[name])))
  )
    throw validationError(
      Object.fromEntries(
        places.flat().map(name => [name, [`one of ${places.flat().join(', ')} is required`]]),
      ),
    );
  const params: Record<string, unknown> = {};
  const query: Record<string, unknown> = {};
  const body: Record<string, unknown> = {};
  const inPath = new Set(namesOf(endpoint.params));
  const inQuery = new Set(namesOf(endpoint.query));
  for (const [name, value] of Object.entries(args)) {
    if (!isGiven(value)) continue;
    if (inPath.has(name)) params[name] = asText(value);
    else if (inQuery.has(name)) query[name] = Array.isArray(value) ? value.map(asText) : asText(value);
    else if (endpoint.body) body[name] = value;
    else query[name] = asText(value);
  }
  if (inQuery.has('page_size')) query.page_size ??= String(PAGE_SIZE);
  return { params, query, ...(endpoint.body && { body }) };
}

const namesOf = (schema: z.ZodType): string[] => Object.keys((schema as Partial<z.ZodObject>).shape ?? {});

const isGiven = (value: unknown) => value !== undefined && value !== null;

const asText = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);
