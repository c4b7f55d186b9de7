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
  { operationId, summary, parameters = [], requestBody }: Operation,
  schemas: Document['components']['schemas'],
  seq: number,
): string {
  const body = exampleOf(requestBody?.content['application/json']?.schema, schemas);
  const url = `{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
  const inQuery = parameters.filter(each => each.in === 'query');
  const sent = inQuery.filter(({ required }) => required).map(each => `${each.name}=${valuesOf(each)[0]}`);
  return [
    block('meta', [`name: ${operationId}`, 'type: http', `seq: ${seq}`]),
    block(method, [
      `url: ${url}${sent.length > 0 ? `?${sent.join('&')}` : ''}`,
      `body: ${body === undefined ? 'none' : 'json'}`,
      'auth: inherit',
    ]),
    // A tilde turns a parameter off.
    block(
      'params:query',
      inQuery.flatMap(each => linesOf(each, each.required ? '' : '~')),
    ),
    block(
      'params:path',
      parameters.filter(each => each.in === 'path').flatMap(each => linesOf(each)),
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

/** A parameter that is a list is repeated. */
const valuesOf = ({ example, schema }: Parameter): string[] =>
  [example ?? schema.example ?? schema.default ?? ''].flat().map(String);

const linesOf = (parameter: Parameter, mark = ''): string[] =>
  valuesOf(parameter).map(value => `${mark}${parameter.name}: ${value}`);

const exampleOf = (schema: Schema | undefined, schemas: Record<string, Schema>): unknown =>
  schema?.example ?? (schema?.$ref && schemas[schema.$ref.split('/').at(-1)!]?.example);
