import { openApiDocument } from '../../api/openapi.ts';

type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: { example?: unknown; default?: unknown };
};
type Schema = { $ref?: string; example?: unknown };
type Operation = {
  tags: string[];
  operationId: string;
  summary: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<
    string,
    { content?: Record<string, { examples?: Record<string, { summary?: string }> }> }
  >;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const FOLDER = 'client/bruno';

/** A Bruno collection with a request for every call, by path. */
export function brunoFiles(): Map<string, string> {
  const { paths, components } = openApiDocument() as Document;
  const files = new Map([
    [
      `${FOLDER}/bruno.json`,
      `${JSON.stringify({ version: '1', name: 'Plat', type: 'collection' }, null, 2)}\n`,
    ],
    [`${FOLDER}/collection.bru`, 'auth {\n  mode: bearer\n}\n\nauth:bearer {\n  token: {{key}}\n}\n'],
    [
      `${FOLDER}/environments/local.bru`,
      'vars {\n  baseUrl: http://127.0.0.1:3000\n}\nvars:secret [\n  key\n]\n',
    ],
  ]);
  let seq = 0;
  for (const [path, operations] of Object.entries(paths))
    for (const [method, operation] of Object.entries(operations)) {
      const file = `${FOLDER}/${operation.tags[0]}/${operation.operationId}.bru`;
      files.set(file, requestOf(path, method, operation, components.schemas, ++seq));
    }
  return files;
}

function requestOf(
  path: string,
  method: string,
  { operationId, summary, parameters = [], requestBody, responses }: Operation,
  schemas: Document['components']['schemas'],
  seq: number,
): string {
  const body = exampleOf(requestBody?.content['application/json']?.schema, schemas);
  const url = `{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
  const inQuery = parameters.filter(each => each.in === 'query');
  const query = exampleQuery(responses) ?? inQuery.filter(each => each.required).flatMap(pairsOf);
  return [
    block('meta', [`name: ${operationId}`, 'type: http', `seq: ${seq}`]),
    block(method, [
      `url: ${url}${query.length > 0 ? `?${new URLSearchParams(query)}` : ''}`,
      `body: ${body === undefined ? 'none' : 'json'}`,
      'auth: inherit',
    ]),
    // A tilde turns a parameter off.
    block('params:query', [
      ...query.map(([name, value]) => `${name}: ${value}`),
      ...inQuery
        .filter(({ name }) => !query.some(([sent]) => sent === name))
        .flatMap(pairsOf)
        .map(([name, value]) => `~${name}: ${value}`),
    ]),
    block(
      'params:path',
      parameters
        .filter(each => each.in === 'path')
        .flatMap(pairsOf)
        .map(([name, value]) => `${name}: ${value}`),
    ),
    block('body:json', body === undefined ? [] : JSON.stringify(body, null, 2).split('\n')),
    block('docs', [summary]),
  ]
    .filter(text => text !== '')
    .join('\n\n')
    .concat('\n');
}

const block = (name: string, lines: string[]): string =>
  lines.length === 0 ? '' : `${name} {\n${lines.map(line => `  ${line}`.trimEnd()).join('\n')}\n}`;

type Pair = [name: string, value: string];

/** The query of the documented example, which is the start of its summary. */
function exampleQuery(responses: Operation['responses']): Pair[] | undefined {
  const [example] = Object.values(responses[200]?.content?.['application/json']?.examples ?? {});
  const text = /^\?(\S+)$/.exec(example?.summary ?? '')?.[1];
  return text === undefined ? undefined : [...new URLSearchParams(text)];
}

/** A parameter that is a list is repeated. */
const pairsOf = ({ name, example, schema }: Parameter): Pair[] =>
  [example ?? schema.example ?? schema.default ?? ''].flat().map(value => [name, String(value)]);

const exampleOf = (schema: Schema | undefined, schemas: Record<string, Schema>): unknown =>
  schema?.example ?? (schema?.$ref && schemas[schema.$ref.split('/').at(-1)!]?.example);
