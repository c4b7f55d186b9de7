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

export type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Tools omit examples, very high limits, and what the description already says. */
const LEFT_OUT = 'id example examples title pattern maxLength minLength maxItems minItems'.split(' ');
const IN_ARGUMENTS = new Set(LEFT_OUT);
const ABSURD_BOUND = 100_000;

/** Result schemas keep only the shape. The result's text explains the content. */
const IN_ANSWERS = new Set(
  [LEFT_OUT, 'description format minimum maximum default propertyNames required'.split(' ')].flat(),
);

/**
 * A tool's input: parameters and body in one object, without `cursor`, because `page` is shorter.
 * @param described whether fields have descriptions
 */
export function inputOf(document: Document, operations: readonly Operation[], described: boolean): Schema {
  const properties: Record<string, Schema> = {};
  const required: string[][] = [];
  for (const { parameters = [], requestBody } of operations) {
    const body = requestBody && resolved(document, requestBody.content['application/json'].schema);
    const exposed = parameters.filter(parameter => parameter.in !== 'header' && parameter.name !== 'cursor');
    for (const { name, schema, description } of exposed)
      properties[name] = argument(document, { ...schema, description });
    for (const [name, schema] of Object.entries((body?.properties ?? {}) as Record<string, Schema>))
      properties[name] = bodyOfAnother(document, schema) ?? argument(document, schema);
    const needed = exposed.filter(parameter => parameter.required).map(({ name }) => name);
    required.push([...needed, ...((body?.required ?? []) as string[])]);
  }
  // Operations that share a tool each require a different place.
  const always = required[0]!.filter(name => required.every(names => names.includes(name)));
  return {
    type: 'object',
    properties: described ? withoutRepeats(properties) : withoutWords(properties),
    ...(always.length > 0 && { required: always }),
    additionalProperties: false,
  };
}

/** A tool's structured content, which must be an object. Undefined if there is no body. */
export function outputOf(document: Document, operations: readonly Operation[]): Schema | undefined {
  const schemas = operations.flatMap(({ responses, 'x-quote': quote }) => {
    const [, response] = Object.entries(responses).find(([status]) => status.startsWith('2'))!;
    const answers = [response.content?.['application/json'].schema, ...(quote ? [quote] : [])];
    return answers.map(schema => schema && asObject(simplified(document, schema, IN_ANSWERS) as Schema));
  });
  if (schemas.some(schema => schema === undefined)) return undefined;
  const distinct = [...new Map(schemas.map(schema => [JSON.stringify(schema), schema!])).values()];
  return distinct.length > 1 ? { type: 'object', anyOf: distinct } : distinct[0];
}

const asObject = (schema: Schema): Schema =>
  schema.type === 'object'
    ? schema
    : { type: 'object', properties: { results: schema }, required: ['results'] };

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

const withoutWords = (properties: Record<string, Schema>): Record<string, Schema> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, { description: _, ...schema }]) => [name, schema]),
  );

/** What goes without saying for a boolean, text, list, or amount, and what the filter's description says. */
const IMPLIED = new RegExp(
  [
    ' False has no effect\\.| \\(true\\) or [^.]*\\(false\\)| Must match exactly(, ignoring case)?\\.',
    ' Matches any of these(, ignoring case)?\\.|, ignoring case| In USD\\.| Parcels [^.]*\\bare kept[^.]*\\.',
    ' Parcels never match if either is unknown\\.| Unknown if none of them were measured\\.',
  ].join('|'),
  'g',
);

/** Units that are part of a name. A percentage is never above 100. */
const NAMED_UNITS: readonly [name: RegExp, unit: string][] = [
  [/percent/, 'percent'],
  [/acres/, 'acres'],
  [/sqft/, 'square feet'],
  [/_ft_/, 'feet'],
  [/months/, 'months'],
  [/years/, 'years'],
];

function withoutUnit(name: string, { maximum, ...schema }: Schema, description: string): [Schema, string] {
  const unit = NAMED_UNITS.find(([pattern]) => pattern.test(name))?.[1];
  const isImplied = maximum === undefined || (unit === 'percent' && maximum === 100);
  return [isImplied ? schema : { ...schema, maximum }, description.replace(` In ${unit}.`, '')];
}

/** The description for `x_min` also covers `x_max`. */
function withoutRepeats(properties: Record<string, Schema>): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, { description: given, ...all }]) => {
      const [rest, description] = withoutUnit(name, all, String(given).replaceAll(IMPLIED, ''));
      const schema = given === undefined ? rest : { ...rest, description };
      const pair = /^(.*)_(min|max)$/.exec(name);
      if (pair === null || !(`${pair[1]}_min` in properties && `${pair[1]}_max` in properties))
        return [name, schema];
      if (pair[2] === 'max') return [name, rest];
      const words = description.replace(/ (Minimum|Earliest), inclusive\./, '');
      return [name, { ...rest, description: words }];
    }),
  );
}

/** A reference to another tool that has the same body. */
function bodyOfAnother(document: Document, { $ref }: Schema): Schema | undefined {
  if ($ref === undefined) return undefined;
  const other = Object.values(document.paths)
    .flatMap(path => Object.values(path))
    .find(({ requestBody }) => requestBody?.content['application/json'].schema.$ref === $ref);
  return other && { type: 'object', description: `Same arguments as ${other.operationId}.` };
}

function resolved(document: Document, schema: Schema): Schema {
  const { $ref } = schema;
  return typeof $ref === 'string'
    ? document.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)]!
    : schema;
}

/** Resolves references and removes these keywords. A choice between plain types becomes a list of types. */
function simplified(document: Document, node: unknown, without: ReadonlySet<string>): unknown {
  if (Array.isArray(node)) return node.map(item => simplified(document, item, without));
  if (typeof node !== 'object' || node === null) return node;
  const simple: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(resolved(document, node as Schema))) {
    if (without.has(key) || isAbsurd(key, value) || isClosed(key, value)) continue;
    if (key === 'properties') {
      const fields = Object.entries(value as Schema);
      simple[key] = Object.fromEntries(
        fields.map(([name, field]) => [name, simplified(document, field, without)]),
      );
    } else simple[key] = VERBATIM.has(key) ? value : simplified(document, value, without);
  }
  const choice = simple.anyOf as Schema[] | undefined;
  if (without !== IN_ANSWERS || choice === undefined) return simple;
  const plain = choice.every(one => Object.keys(one).length === 1 && typeof one.type === 'string');
  return plain ? { type: choice.map(({ type }) => type) } : simple;
}

const VERBATIM = new Set(['const', 'enum', 'required', 'default']);

/** Only the input as a whole says that it has no other properties. */
const isClosed = (key: string, value: unknown) => key === 'additionalProperties' && value === false;

const isAbsurd = (key: string, value: unknown) =>
  (key === 'minimum' && value === 0) ||
  (/^(min|max)imum$/.test(key) && Math.abs(Number(value)) >= ABSURD_BOUND);
