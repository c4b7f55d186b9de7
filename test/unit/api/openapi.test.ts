import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { endpoints } from '../../../api/endpoints.ts';
import { pageParameters } from '../../../api/http/paging.ts';
import { openApiDocument } from '../../../api/openapi.ts';
import { rootDir } from '../../../shared/platform/root.ts';
import { conformsTo, type Document, type Reply } from '../../support/openapi.ts';

const document = openApiDocument() as Document;

test('openapi.json in the root is the generated document', () => {
  expect(JSON.parse(readFileSync(join(rootDir, 'openapi.json'), 'utf8'))).toEqual(
    JSON.parse(JSON.stringify(document)),
  );
});

test('every reference resolves, and every example fits its schema', () => {
  const text = JSON.stringify(document);
  for (const [, pointer] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = pointer!
      .split('/')
      .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
    expect(found, pointer).toBeDefined();
  }
  const conforms = conformsTo(document);
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, { responses }] of Object.entries(operations)) {
      for (const [status, response] of Object.entries(responses)) {
        const media = (
          response as {
            content?: Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }>;
          }
        ).content?.['application/json'];
        const examples = [
          media?.example,
          ...Object.values(media?.examples ?? {}).map(example => example.value),
        ].filter(Boolean);
        for (const example of examples)
          conforms({ ...reply(path, example), method: method.toUpperCase(), status: Number(status) });
      }
    }
  }
});

/** Every object in the document that is a schema, by its place. */
function schemasIn(node: unknown, place = ''): [place: string, schema: Record<string, unknown>][] {
  if (typeof node !== 'object' || node === null) return [];
  const inner = Object.entries(node).flatMap(([key, value]) =>
    /^(examples?|enum)$/.test(key) ? [] : schemasIn(value, `${place}/${key}`),
  );
  const own = node as Record<string, unknown>;
  const isSchema = typeof own.type === 'string' || Array.isArray(own.type);
  return isSchema ? [[place, own], ...inner] : inner;
}

describe('for readers of the document', () => {
  type Body = { requestBody?: { content: Record<string, { schema: { $ref: string } }> } };
  const { components } = document as unknown as {
    components: { schemas: Record<string, { example?: object; properties: Record<string, object> }> };
  };
  const bodies = Object.values(document.paths)
    .flatMap(operations => Object.values(operations as unknown as Record<string, Body>))
    .flatMap(({ requestBody }) => requestBody?.content['application/json']?.schema ?? [])
    .map(({ $ref }) => $ref.split('/').at(-1)!);

  test('a body has a name and a complete example that the service accepts, and no defaults: they make fields required', () => {
    expect(bodies.length).toBeGreaterThan(5);
    for (const endpoint of endpoints.filter(({ body }) => body !== undefined)) {
      const example = endpoint.body!.meta()?.example;
      expect(example, endpoint.operationId).toBeDefined();
      expect(endpoint.body!.safeParse(example).error, endpoint.operationId).toBeUndefined();
    }
    for (const name of bodies)
      for (const [place, schema] of schemasIn(components.schemas[name], name))
        expect(schema, place).not.toHaveProperty('default');
  });

  test('true or false in a query is a boolean, and every array has an item type', () => {
    for (const [place, schema] of schemasIn(document)) {
      expect(JSON.stringify(schema.enum ?? []), place).not.toMatch(/"(true|false)"/);
      if (schema.type === 'array') expect(schema, place).toHaveProperty('items');
    }
  });

  test('patterns mean the same in JavaScript with and without `u`, RE2, Java, .NET, and Python', () => {
    const patterns = schemasIn(document).flatMap(([, { pattern }]) =>
      typeof pattern === 'string' ? pattern : [],
    );
    expect(patterns.length).toBeGreaterThan(5);
    for (const pattern of patterns) {
      // Neither look-around, names, properties nor escapes of characters that languages write differently.
      expect(pattern).not.toMatch(/\(\?[^:]|\\[^d.x]/);
      expect(() => [new RegExp(pattern), new RegExp(pattern, 'u')]).not.toThrow();
    }
  });
});

const HEADERS = {
  'content-type': 'application/json',
  'x-request-id': 'a',
  location: '/made',
  'x-tokens-used': '10',
  'x-ratelimit-limit': '120',
  'x-ratelimit-remaining': '119',
  'x-ratelimit-reset': '1790000000',
  'ratelimit-policy': '"account";q=120;w=120',
  ratelimit: '"account";r=119;t=1',
  'x-content-type-options': 'nosniff',
  etag: '"a"',
};
const BODY = {
  id: '5e9b0f3c-6a52-5d0e-9b60-0c9f3a1f7f11',
  type: 'county',
  name: 'Sullivan County',
  state: 'NH',
  county_name: 'Sullivan County',
  fips: '33019',
  as_of: null,
  stats: [],
};

function reply(path: string, body: unknown, headers: Record<string, string> = HEADERS): Reply {
  return { method: 'GET', path, status: 200, headers: new Headers(headers), text: JSON.stringify(body) };
}

describe('checking responses against the document finds', () => {
  const conforms = conformsTo(document);
  const path = '/api/public/v1/markets-stats/33019/stats/';

  test('nothing in a correct response', () => {
    conforms(reply(path, BODY));
  });

  test.each([
    ['a missing field', reply(path, { ...BODY, name: undefined })],
    ['an additional field', reply(path, { ...BODY, color: 'red' })],
    ['a wrong type', reply(path, { ...BODY, fips: 33019 })],
    ['an unknown bucket', reply(path, { ...BODY, stats: [{ type: '1 acre', data: {} }] })],
    ['an unknown metric', reply(path, { ...BODY, stats: [{ type: '1 acre-2 acre', data: { Sold: 1 } }] })],
    ['an undocumented status', { ...reply(path, BODY), status: 418 }],
    ['a missing header', reply(path, BODY, { ...HEADERS, etag: undefined } as never)],
    ['a header of the wrong type', reply(path, BODY, { ...HEADERS, 'x-tokens-used': 'ten' })],
    ['another content type', reply(path, BODY, { ...HEADERS, 'content-type': 'text/html' })],
    ['an error without the envelope', { ...reply('/nothing', { message: 'no' }), status: 404 }],
  ])('%s', (_name, wrong) => {
    const given = wrong as Reply;
    if (given.headers.get('etag') === 'undefined') given.headers.delete('etag');
    expect(() => conforms(given)).toThrow();
  });
});

test('page numbers and sizes are documented with their limits: the last is accepted, the next refused', () => {
  const lists = Object.values(document.paths).flatMap(operations =>
    Object.values(operations).flatMap(operation => {
      const { parameters = [] } = operation as {
        parameters?: { name: string; schema: { maximum?: number } }[];
      };
      const most = (name: string) => parameters.find(found => found.name === name)?.schema.maximum;
      return parameters.some(({ name }) => name === 'page')
        ? [{ page: most('page'), page_size: most('page_size') }]
        : [];
    }),
  );
  expect(lists.length).toBeGreaterThan(3);
  for (const { page, page_size } of lists) {
    const schema = z.object(pageParameters({ usual: 1, most: page_size! }));
    for (const [name, most] of Object.entries({ page, page_size })) {
      expect(most).toBeGreaterThan(0);
      expect(schema.safeParse({ [name]: String(most) }).success).toBe(true);
      expect(schema.safeParse({ [name]: String(most! + 1) }).success).toBe(false);
    }
  }
});
