import { argumentText, assistantText, unitOf } from './assistant-text.ts';
import { toolNameOf } from './tool-names.ts';

/** JSON Schemas for the tools: the endpoints' OpenAPI document, reduced to what a model needs. */

export type Schema = { readonly [key: string]: unknown };

export type Parameter = {
  in: string;
  name: string;
  required?: boolean;
  schema: Schema;
  description?: string;
};

export type Operation = {
  operationId: string;
  parameters?: Parameter[];
  /** The response to a call with `quote`. */
  'x-quote'?: Schema;
  requestBody?: { content: { 'application/json': { schema: Schema } } };
  responses: Record<string, { content?: { 'application/json': { schema: Schema } } }>;
};

export type Fields = Record<string, Schema>;

export type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Tools omit examples, very high limits, and what the description already says. */
const LEFT_OUT = 'id example examples title pattern maxLength minLength maxItems minItems'.split(' ');
const IN_ARGUMENTS = new Set(LEFT_OUT);
const ABSURD_BOUND = 100_000;

/** Result schemas keep names and types. The result's text explains the content. */
const IN_ANSWERS = new Set(
  [
    LEFT_OUT,
    'description format minimum maximum default propertyNames required enum const'.split(' '),
  ].flat(),
);

/** list_filters describes each filter in full. */
const FILTER = '/ParcelFilter';
const FIRST_SENTENCE = /^.*?\.(?= [A-Z]|$)/s;
const withFirstSentence = ({ description, ...schema }: Schema): Schema =>
  description === undefined
    ? schema
    : { ...schema, description: FIRST_SENTENCE.exec(String(description))?.[0] ?? description };

/** A tool's input: parameters and body in one object. `page` replaces the longer `cursor`. */
export function inputOf(document: Document, operations: readonly Operation[]): Schema {
  const properties: Record<string, Schema> = {};
  const required: string[][] = [];
  for (const { parameters = [], requestBody } of operations) {
    const reference = requestBody?.content['application/json'].schema;
    const body = reference && resolved(document, reference);
    const isFilter = String(reference?.$ref).endsWith(FILTER);
    const isPaged = parameters.some(({ name }) => name === 'page');
    const exposed = parameters.filter(
      parameter => parameter.in !== 'header' && !(isPaged && parameter.name === 'cursor'),
    );
    for (const { name, schema, description } of exposed)
      properties[name] = argument(document, { ...schema, description });
    for (const [name, schema] of Object.entries((body?.properties ?? {}) as Record<string, Schema>))
      properties[name] =
        bodyOfAnother(document, schema) ?? argument(document, isFilter ? withFirstSentence(schema) : schema);
    const needed = exposed.filter(parameter => parameter.required).map(({ name }) => name);
    required.push([...needed, ...((body?.required ?? []) as string[])]);
  }
  // Operations that share a tool each require a different place.
  const always = required[0]!.filter(name => required.every(names => names.includes(name)));
  return {
    type: 'object',
    properties: withoutRepeats(properties),
    ...(always.length > 0 && { required: always }),
  };
}

/** A tool's structured content, which must be an object. Undefined if there is no body. */
export function outputOf(document: Document, operations: readonly Operation[]): Schema | undefined {
  const schemas = operations.flatMap(({ responses, 'x-quote': quote }) => {
    const bodies = Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([, response]) => response.content?.['application/json'].schema);
    return [...bodies, ...(quote ? [quote] : [])];
  });
  if (schemas.some(schema => schema === undefined)) return undefined;
  const shapes = schemas.map(schema => shapeOf(asObject(simplified(document, schema, IN_ANSWERS) as Schema)));
  return shapes.reduce(either);
}

const asObject = (schema: Schema): Schema =>
  schema.type === 'object' ? schema : { type: 'object', properties: { results: schema } };

/**
 * The names of the result's fields and of those of its `results`, and which of them are lists and objects.
 * Every value that matches the schema matches its shape.
 */
function shapeOf({ anyOf, oneOf, type, properties, items }: Schema, isNamed = true): Schema {
  const choice = (anyOf ?? oneOf) as Schema[] | undefined;
  if (choice !== undefined) return choice.map(one => shapeOf(one, isNamed)).reduce(either);
  if (type === 'null') return { type };
  if (type !== 'object' && type !== 'array') return {};
  if (!isNamed) return { type };
  if (items !== undefined) return { type, items: shapeOf(items as Schema) };
  if (properties === undefined) return { type };
  const fields = Object.entries(properties as Fields).map(([name, field]) => [
    name,
    shapeOf(field, name === 'results'),
  ]);
  return { type, properties: Object.fromEntries(fields) };
}

/** The shape of values that match one or the other. */
function either(a: Schema, b: Schema): Schema {
  if (a.type === undefined || b.type === undefined) return {};
  const type = [...new Set([a.type, b.type].flat())];
  const [these, those] = [a.properties, b.properties] as (Fields | undefined)[];
  const shared = Object.keys(those ?? {}).filter(name => these?.[name] !== undefined);
  const both = Object.fromEntries(shared.map(name => [name, either(these![name]!, those![name]!)]));
  const isObject = these !== undefined || those !== undefined;
  return {
    ...a,
    ...b,
    type: type.length > 1 ? type : type[0],
    ...(isObject && { properties: { ...these, ...those, ...both } }),
  };
}

export function structured(body: unknown): Record<string, unknown> {
  return Array.isArray(body) ? { results: body } : (body as Record<string, unknown>);
}

/** If an argument accepts both text and numbers, the schema lists only text. */
function argument(document: Document, schema: Schema): Schema {
  return asArgument(simplified(document, schema, IN_ARGUMENTS) as Schema);
}

function asArgument({ anyOf, minimum, items, ...schema }: Schema): Schema {
  const either = anyOf as Schema[] | undefined;
  if (either?.some(({ type }) => type === 'string')) return { ...schema, type: 'string' };
  return {
    ...schema,
    ...(either && { anyOf }),
    ...(minimum !== undefined && { minimum }),
    ...(items !== undefined && { items: asArgument(items as Schema) }),
  };
}

/** The description for `x_min` also covers `x_max`. A percentage is never above 100. */
function withoutRepeats(properties: Fields): Fields {
  return Object.fromEntries(
    Object.entries(properties).map(([name, { description: given, maximum, ...rest }]) => {
      const isImplied = maximum === undefined || (unitOf(name) === 'percent' && maximum === 100);
      const schema = isImplied ? rest : { ...rest, maximum };
      const pair = /^(.*)_(min|max)$/.exec(name);
      const isPair = pair !== null && `${pair[1]}_min` in properties && `${pair[1]}_max` in properties;
      if (isPair && pair[2] === 'max') return [name, schema];
      const words = String(given ?? '').replace(isPair ? / (Minimum|Earliest), inclusive\./ : '', '');
      const description = argumentText(name, words);
      return [name, description === undefined ? schema : { ...schema, description }];
    }),
  );
}

/** A reference to another tool that has the same body. */
function bodyOfAnother(document: Document, { $ref }: Schema): Schema | undefined {
  if ($ref === undefined) return undefined;
  const other = Object.values(document.paths)
    .flatMap(path => Object.values(path))
    .find(({ requestBody }) => requestBody?.content['application/json'].schema.$ref === $ref);
  return other && { type: 'object', description: `Same arguments as ${toolNameOf(other.operationId)}.` };
}

function resolved(document: Document, schema: Schema): Schema {
  const { $ref } = schema;
  return typeof $ref === 'string'
    ? document.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)]!
    : schema;
}

/** Resolves references and removes these keywords. Descriptions are for assistants. */
function simplified(document: Document, node: unknown, without: ReadonlySet<string>): unknown {
  if (Array.isArray(node)) return node.map(item => simplified(document, item, without));
  if (typeof node !== 'object' || node === null) return node;
  const simple: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(resolved(document, node as Schema))) {
    if (value === undefined || without.has(key) || isAbsurd(key, value) || isClosed(key, value)) continue;
    if (key === 'description') simple[key] = assistantText(document.paths, String(value));
    else if (key === 'properties') {
      const fields = Object.entries(value as Schema);
      simple[key] = Object.fromEntries(
        fields.map(([name, field]) => [name, simplified(document, field, without)]),
      );
    } else simple[key] = VERBATIM.has(key) ? value : simplified(document, value, without);
  }
  return simple;
}

const VERBATIM = new Set(['const', 'enum', 'required', 'default']);

/** The service names unknown arguments anyway. */
const isClosed = (key: string, value: unknown) => key === 'additionalProperties' && value === false;

const isAbsurd = (key: string, value: unknown) =>
  (key === 'minimum' && (value === 0 || value === 1)) ||
  (/^(min|max)imum$/.test(key) && Math.abs(Number(value)) >= ABSURD_BOUND);
