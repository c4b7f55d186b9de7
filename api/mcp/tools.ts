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
/** Maximum number of rows per call. They fit in a result (shorten-result.ts) unless they are very long. */
const MAX_ROWS = 150;
const ROW_COUNTS = ['page_size', 'limit'];

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
    inputSchema:
      as === undefined
        ? paged(inputOf(document, operations), reads && hasList(outputSchema))
        : { type: 'object', properties: {} },
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

const hasList = (schema: Schema | undefined): boolean =>
  Object.values((schema?.properties ?? {}) as Fields).some(({ type }) => [type].flat().includes('array'));

/** @param hasUnpagedList whether the tool accepts `skip`, unless it has pages */
function paged(schema: Schema, hasUnpagedList: boolean): Schema {
  const properties = { ...(schema.properties as Fields) };
  const counts = ROW_COUNTS.filter(name => properties[name] !== undefined);
  for (const name of counts) {
    const maximum = Math.min(Number(properties[name]!.maximum), MAX_ROWS);
    properties[name] = { ...properties[name], ...(name === 'page_size' && { default: PAGE_SIZE }), maximum };
  }
  if (counts.length === 0 && hasUnpagedList) properties.skip = { type: 'integer' };
  return { ...schema, properties };
}

/** How a client continues after a result that was too long. */
export function continuationOf({
  definition: { inputSchema },
}: Tool): 'page_size' | 'limit' | 'skip' | undefined {
  const properties = inputSchema.properties as Fields;
  return (['page_size', 'limit', 'skip'] as const).find(name => properties[name] !== undefined);
}

/**
 * The number of rows to skip, which is not part of the endpoint's request. @throws PlatError
 * `validation_error`
 */
export function skipOf(tool: Tool, { skip }: Arguments): number {
  if (!isGiven(skip) || continuationOf(tool) !== 'skip') return 0;
  if (/^\d{1,9}$/.test(String(skip))) return Number(skip);
  throw validationError({ skip: ['must be a whole number, 0 or more'] });
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
export function requestOf(tool: Tool, endpoint: Endpoint, args: Arguments): RequestInput {
  const { endpoints } = tool;
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
    if (!isGiven(value) || (name === 'skip' && continuationOf(tool) === 'skip')) continue;
    if (ROW_COUNTS.includes(name) && inQuery.has(name) && Number(value) > MAX_ROWS)
      throw validationError({ [name]: [`must be at most ${MAX_ROWS} in tools`] });
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
