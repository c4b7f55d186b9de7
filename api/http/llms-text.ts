import { type Endpoint, priceSentence, TAGS } from './endpoint.ts';

/** The parts of an OpenAPI document that programs for language models need. */
type Schema = {
  $ref?: string;
  type?: string;
  description?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
};
type Operation = {
  tags: string[];
  operationId: string;
  summary: string;
  description: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};
type Document = {
  info: { description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const V1 = '/api/public/v1/';

/** What Plat is and what its calls cost, for language models (llmstxt.org). */
export function llmsText(endpoints: readonly Endpoint[], document: object, origin: string): string {
  const [summary] = (document as Document).info.description.split('\n');
  const groups = Object.entries(TAGS).flatMap(([tag, text]) => [
    `## ${tag}`,
    '',
    text,
    '',
    ...endpoints.filter(endpoint => endpoint.tag === tag).map(endpoint => linkTo(endpoint, origin)),
    '',
  ]);
  return [
    '# Plat',
    '',
    `> ${summary}`,
    '',
    `Calls are under ${origin}${V1} and need an API key: \`Authorization: Bearer plat_…\`. Each priced call uses`,
    'tokens. `quote=true` returns the price instead of running the call.',
    '',
    '## Docs',
    '',
    `- [All calls with their parameters, and recipes](${origin}/llms-full.txt): one text`,
    `- [OpenAPI document](${origin}/openapi.json): schemas of all requests and responses`,
    `- [API reference](${origin}/docs/): for people`,
    `- [MCP server](${origin}/mcp): the same calls as tools for assistants`,
    '',
    ...groups,
  ].join('\n');
}

const linkTo = ({ method, path, summary, operationId, metering }: Endpoint, origin: string): string =>
  `- [${method.toUpperCase()} ${path.replace(V1, '')}](${origin}/llms-full.txt#${operationId}): ${summary}. ${priceSentence(metering)}`;

/** Every call with its parameters, the fields of its body, and its price, and then the recipes. */
export function llmsFullText(document: object, recipes: string): string {
  const { info, paths, components } = document as Document;
  const calls = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      describe(path, method, operation, components),
    ),
  );
  return ['# Plat', '', info.description, '', ...calls, recipes].join('\n');
}

function describe(
  path: string,
  method: string,
  { operationId, summary, description, parameters = [], requestBody }: Operation,
  { schemas }: Document['components'],
): string[] {
  const body = resolve(requestBody?.content['application/json']?.schema, schemas);
  const own = parameters.map(
    ({ name, in: place, required, description: text = '', schema }) =>
      `- \`${name}\` (${place}, ${typeOf(schema)}${required ? ', required' : ''}): ${text}`,
  );
  const fields = Object.entries(body?.properties ?? {}).map(
    ([name, field]) => `- \`${name}\` (body, ${typeOf(field)}): ${field.description ?? ''}`,
  );
  return [
    `## ${operationId}`,
    '',
    `\`${method.toUpperCase()} ${path}\`: ${summary}`,
    '',
    description,
    '',
    ...own,
    ...fields,
    '',
  ];
}

const resolve = (schema: Schema | undefined, schemas: Record<string, Schema>): Schema | undefined =>
  schema?.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1)!];

function typeOf({ type, enum: values, items, anyOf, $ref }: Schema): string {
  if (values !== undefined) return values.map(value => JSON.stringify(value)).join(' or ');
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  return type ?? $ref?.split('/').at(-1) ?? 'any';
}
