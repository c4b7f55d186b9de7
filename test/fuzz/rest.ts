import fc, { type Arbitrary } from 'fast-check';
import { openApiDocument } from '../../api/openapi.ts';
import { fromSchemas, type Schema } from './schema.ts';
import type { Shot } from './shot.ts';
import { encoded, hostileInUrl, hostileText, type Known, oddName } from './values.ts';

type Parameter = { name: string; in: string; required?: boolean; schema: Schema };
type Operation = {
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
};
const document = openApiDocument() as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const OTHER_METHODS = ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'POST', 'GET', 'PROPFIND'];
const CONTENT_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'a',
  '',
];
const NO_JSON = [
  '',
  '{',
  '[]',
  '"',
  'nul',
  '{"county":"33019"',
  '\ufeff{}',
  '['.repeat(50_000),
  '{"a":1e999}',
];

const headers = fc.record(
  {
    'Idempotency-Key': fc.oneof(fc.constantFrom('a', 'b', '', ' ', 'é', 'a'.repeat(300)), fc.uuid()),
    'If-None-Match': fc.constantFrom('*', '"a"', 'W/"a", "b"', '"'),
    'Accept-Encoding': fc.constantFrom('gzip', 'br, gzip;q=0', 'identity;q=0', '*;q=2'),
    'X-Request-Id': fc.constantFrom('mine', 'a'.repeat(500), 'é'),
    Accept: fc.constantFrom('text/html', 'application/xml', '*/*;q=0'),
  },
  { requiredKeys: [] },
);

/** Requests to every operation of openapi.json: valid, almost valid and invalid. */
export function restShots(known: Known): Arbitrary<Shot> {
  const { valid, body } = fromSchemas(document.components.schemas, known);

  /** Converts a value to text for a URL. A list becomes a repeated parameter. */
  const inUrl = (name: string, schema: Schema) =>
    valid(schema, name).map(value =>
      [value]
        .flat()
        .map(one => `${name}=${encoded(String(one))}`)
        .join('&'),
    );

  function query(parameters: Parameter[]): Arbitrary<string> {
    const own = parameters.filter(parameter => parameter.in === 'query');
    const names = own.map(({ name }) => name);
    const right = (some: Parameter[]) => fc.tuple(...some.map(({ name, schema }) => inUrl(name, schema)));
    const needed = own.filter(({ required }) => required);
    const optional = own.filter(({ required }) => !required);
    const name =
      names.length === 0 ? oddName : fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...names) }, oddName);
    const wrong = fc.tuple(name, hostileInUrl).map(([of, value]) => `${encoded(of)}=${value}`);
    return fc
      .tuple(
        right(needed),
        fc.subarray(optional, { maxLength: Math.min(3, optional.length) }).chain(right),
        fc.oneof(
          { weight: 3, arbitrary: fc.constant([]) },
          { weight: 2, arbitrary: fc.array(wrong, { maxLength: 2 }) },
        ),
      )
      .map(parts => parts.flat().join('&'));
  }

  function path(template: string, parameters: Parameter[]): Arbitrary<string> {
    const parts = template.split('/').map(part => {
      const parameter = parameters.find(one => part === `{${one.name}}`);
      if (parameter === undefined) return fc.constant(part);
      // `id` can be a deal's or a market's, depending on the path.
      const name = parameter.name === 'id' ? `id of ${template.split('/')[4]}` : parameter.name;
      const right = valid(parameter.schema, name).map(value => encoded(String(value)));
      return fc.oneof({ weight: 6, arbitrary: right }, { weight: 1, arbitrary: hostileInUrl });
    });
    return fc
      .tuple(fc.tuple(...parts), fc.integer({ min: 0, max: 9 }))
      .map(([all, n]) => (n === 0 ? all.join('/').replace(/\/$/, '') : all.join('/')));
  }

  const shots = Object.entries(document.paths).flatMap(([template, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody }]) => {
      const schema = requestBody?.content['application/json'].schema;
      const json = (schema === undefined ? fc.constant(undefined) : body(schema)).map(value =>
        JSON.stringify(value),
      );
      const usual = fc.record({
        path: path(template, parameters),
        query: query(parameters),
        body: json,
        headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, headers),
      });
      const other = fc.record({
        method: fc.constantFrom(...OTHER_METHODS),
        type: fc.constantFrom(...CONTENT_TYPES),
        body: fc.oneof(fc.constantFrom(...NO_JSON), hostileText),
      });
      return fc
        .tuple(
          usual,
          fc.oneof({ weight: 11, arbitrary: fc.constant(null) }, other),
          fc.integer({ min: 0, max: 29 }),
        )
        .map(([asked, odd, n]): Shot => {
          const sent = odd?.body ?? asked.body;
          return {
            route: `${method.toUpperCase()} ${template}`,
            as: n === 0 ? 'nobody' : 'key',
            method: odd === null ? method.toUpperCase() : n % 2 === 0 ? odd.method : method.toUpperCase(),
            target: asked.query === '' ? asked.path : `${asked.path}?${asked.query}`,
            headers: {
              ...asked.headers,
              ...(sent !== undefined && { 'Content-Type': odd?.type || 'application/json' }),
            },
            body: sent,
          };
        });
    }),
  );
  return fc.oneof(...shots);
}
