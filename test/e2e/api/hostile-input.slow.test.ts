import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { endpoints } from '../../../api/endpoints.ts';
import { addFileJob } from '../../../shared/feeds/file-feeds.ts';
import { enqueueAndNotify } from '../../../shared/platform/queue/jobs.ts';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { MCP_HEADERS, messageIn } from '../../support/tool-call.ts';
import { newUser, visitor } from '../../support/visitor.ts';

/** Names that every object inherits, and JSON nested deeper than a stack, anywhere in a request. */

const db = await createTestDatabase();
const api = await startTestApi(db, { pages: true });
const { key } = await newCaller(db, { skipTracePerMinute: 1_000 }, { scopes: ['api:direct', 'api:mcp'] });

const INHERITED = ['__proto__', 'constructor', 'toString'];

const DEEP = 20_000;
const NESTED = [
  '['.repeat(100) + ']'.repeat(100),
  '['.repeat(DEEP) + ']'.repeat(DEEP),
  `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
];

/** What is asked for need not exist. */
const UUID = '5e9b0f3c-6a52-4d0e-9b60-0c9f3a1f7f11';
const PLACES: Record<string, string> = { fips: '33019', zip: '03280', property_id: '3301900000001' };
const pathOf = (path: string) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => PLACES[name] ?? UUID);

type Failure = { error: { code: string; details?: Record<string, string[]> } };

async function send(method: string, path: string, body?: string) {
  const { status, json } = await api.call(path, {
    key,
    method: method.toUpperCase(),
    ...(body !== undefined && { body, headers: { 'Content-Type': 'application/json' } }),
  });
  return { status, error: (json as Failure).error };
}

describe('REST', () => {
  test.each(endpoints)('$method $path', async ({ method, path, body }) => {
    for (const name of INHERITED) {
      const { status, error } = await send(method, `${pathOf(path)}?${name}=1`, body && '{}');
      expect([name, status, error.code]).toEqual([name, 400, 'validation_error']);
      expect(Object.keys(error.details!)).toContain(name);
    }
    if (body === undefined) return;
    for (const name of INHERITED)
      for (const value of ['1', '{"fips":"33019","name":"x"}']) {
        const { status, error } = await send(method, pathOf(path), `{"${name}":${value}}`);
        expect([name, status, error.code]).toEqual([name, 400, 'validation_error']);
        expect(Object.keys(error.details!)).toContain(name);
      }
    const fields = Object.keys((body as Partial<z.ZodObject>).shape ?? {});
    for (const field of [...fields, 'unknown'])
      for (const nested of NESTED) {
        const { status, error } = await send(method, pathOf(path), `{"${field}":${nested}}`);
        expect([field, status, error.code]).toEqual([field, 400, 'validation_error']);
      }
  });

  test('a polygon in a query string', async () => {
    for (const nested of NESTED) {
      const polygon = encodeURIComponent(`{"type":"Polygon","coordinates":${nested}}`);
      const { status, error } = await send('get', `/api/public/v1/comps/?polygon=${polygon}`);
      expect([status, error.code]).toEqual([400, 'validation_error']);
    }
  });
});

test('tools', async () => {
  const listed = await rpc('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}');
  for (const { name } of listed.message.result.tools) {
    for (const field of INHERITED)
      for (const value of ['"1"', '{"fips":"33019","name":"x"}']) {
        const { message } = await rpc(toolCall(name, `{"${field}":${value}}`));
        const code = message.error?.code ?? JSON.parse(message.result.content[0].text).error?.code;
        expect([name, field, code]).toEqual([
          name,
          field,
          field === '__proto__' ? -32_602 : 'validation_error',
        ]);
      }
    for (const nested of NESTED) {
      const { status, message } = await rpc(toolCall(name, `{"a":${nested}}`));
      expect([name, status, message.error.code]).toEqual([name, 400, -32_600]);
    }
  }
});

const toolCall = (name: string, args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;

async function rpc(body: string) {
  const response = await fetch(`${api.url}/mcp`, {
    method: 'POST',
    headers: { ...MCP_HEADERS, Authorization: `Bearer ${key}` },
    body,
  });
  return { status: response.status, message: messageIn(await response.text()) };
}

describe('pages', async () => {
  const ana = visitor(api);
  await ana.signIn(await newUser(db, { operator: true }));

  test('URLs', async () => {
    for (const path of ['/data', '/data/spreads', '/markets', '/comping', '/lists', '/exports', '/coverage'])
      for (const name of INHERITED) {
        const { status } = await ana.open(`${path}?${name}=1&sort=${name}&bucket=${name}&view=${name}`);
        expect([path, name, status < 500]).toEqual([path, name, true]);
      }
  });

  test('forms', async () => {
    const filters = [...NESTED.map(nested => `{"fips":${nested}}`), NESTED[0]!];
    for (const path of ['/lists', '/exports', '/searches', '/deals', '/account', '/account/webhooks/x'])
      for (const filter of filters)
        for (const does of ['create', 'add', 'order', 'save', ...INHERITED]) {
          const fields = { do: does, filter, kind: does, format: does, name: 'x', stage: does, status: does };
          const { status } = await ana.submit(path, fields);
          expect([path, does, status < 500]).toEqual([path, does, true]);
        }
  });

  test('format, fields, and columns of an uploaded file', async () => {
    const upload = { id: UUID, file: 'upload.csv', original: 'a.csv' };
    const payload = { upload, reading: {}, write: false, requestedBy: 'ana' };
    const page = `/admin/files/${await enqueueAndNotify(db.pool, addFileJob, payload)}`;
    for (const name of INHERITED)
      for (const fields of [{ format: name }, { [`column.${name}`]: '["a"]' }])
        expect((await ana.submit(page, fields)).status).toBe(400);
    for (const columns of [NESTED[0]!, `["${'a'.repeat(400)}"]`, '{"__proto__":["a"]}'])
      expect((await ana.submit(page, { key: columns, 'column.acres': columns })).status).toBe(400);
  });
});
