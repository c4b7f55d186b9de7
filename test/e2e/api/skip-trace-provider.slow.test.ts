import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { batchData } from '../../../shared/contacts/skip-trace-providers.ts';
import { suppress } from '../../../shared/contacts/suppression.ts';
import { person } from '../../../shared/kernels/person/person.ts';
import { forgetContact } from '../../../workers/contacts/forget-contact.ts';
import { newCaller, posting, startTestApi, type TestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { testFolder } from '../../support/folder.ts';
import { serve } from '../../support/http-server.ts';
import { insertParcels } from '../../support/parcels.ts';

const db = await createTestDatabase();
const folder = testFolder();
const { key, accountId } = await newCaller(db, { skipTracePerMinute: 10_000 });

type Reply = (request: IncomingMessage, response: ServerResponse, body: string) => void;
/** What the provider does next. */
let reply: Reply;
let asked: { headers: IncomingMessage['headers']; url: string; body: Record<string, never> }[] = [];
const server = await serve((request, response) => {
  let text = '';
  request.on('data', chunk => (text += chunk));
  request.on('end', () => {
    asked.push({ headers: request.headers, url: request.url!, body: JSON.parse(text || 'null') });
    reply(request, response, text);
  });
});
afterAll(server.close);
const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

beforeEach(async () => {
  asked = [];
  await db.pool.query('truncate provider_answers, provider_usage, contact_suppressions, traces');
});

/** An answer of version 3, as its documentation shows them, with numbers that are nobody's. */
const V3 = JSON.parse(readFileSync('test/fixtures/phones/batchdata-v3.json', 'utf8'));

const ADA = {
  first_name: 'Ada',
  last_name: 'Nowell',
  address: '12 Zephyr St',
  city: 'Keene',
  state: 'NH',
  zip: '03431',
};
const traceAt = async (api: TestApi, body: object = ADA, headers: object = {}) => {
  const answer = await api.call('/api/public/v1/skip-trace/', {
    ...posting(key, JSON.stringify(body)),
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  return {
    status: answer.status,
    tokens: Number(answer.headers.get('x-tokens-used')),
    retry: answer.headers.get('retry-after'),
    body: answer.json as { matched: boolean; phones: { number: string }[]; error?: { code: string } },
    text: answer.text,
  };
};

const batchdata = {
  SKIP_TRACE_PROVIDER: 'batchdata',
  BATCHDATA_API_KEY: 'secret-key',
  BATCHDATA_URL: server.origin,
  SKIP_TRACE_PROVIDER_CENTS: '7',
};
const file = join(folder, 'provider.yaml');
const declare = (more: object = {}) =>
  writeFileSync(
    file,
    stringify({
      name: 'example',
      url: `${server.origin}/people`,
      headers: { 'x-key': 'k' },
      body: {
        first: '{first_name}',
        last: '{last_name}',
        company: '{entity_name}',
        street: '{address}',
        zip: '{zip}',
      },
      response: {
        first_name: 'person.first',
        last_name: 'person.last',
        matched: 'found',
        phones: { each: 'person.phones', fields: { number: 'n', line_type: 't', dnc: 'd' } },
      },
      ...more,
    }),
  );
declare();
const http = { SKIP_TRACE_PROVIDER: 'http', SKIP_TRACE_PROVIDER_FILE: file };

describe('BatchData', async () => {
  const api = await startTestApi(db, { env: batchdata });

  test('is called with version 3 of its property skip trace, and the right person is picked from the residents', async () => {
    reply = json(200, V3);
    const { status, tokens, body } = await traceAt(api);
    expect({ status, tokens, body }).toEqual({
      status: 200,
      tokens: 20,
      body: {
        matched: true,
        matched_on: 'name_and_street',
        first_name: 'Ada',
        last_name: 'Nowell',
        withheld_reason: null,
        phones: [
          { number: '6035550101', line_type: 'Mobile', dnc: false, dnc_as_of: null },
          { number: '6035550102', line_type: 'Landline', dnc: true, dnc_as_of: null },
          { number: '6035550103', line_type: null, dnc: null, dnc_as_of: null },
        ],
      },
    });
    const address = { street: '12 Zephyr St', city: 'Keene', state: 'NH', zip: '03431' };
    expect(asked).toMatchObject([
      {
        url: '/api/v3/property/skip-trace',
        headers: { authorization: 'Bearer secret-key' },
        body: {
          requests: [
            { name: { first: 'ADA', last: 'NOWELL' }, propertyAddress: address, mailingAddress: address },
          ],
        },
      },
    ]);
  });

  test('is paid once per person, even for concurrent calls, and its charges are counted', async () => {
    reply = (...given) => setTimeout(() => json(200, V3)(...given), 50);
    const answers = await Promise.all(Array.from({ length: 8 }, () => traceAt(api)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    await traceAt(api);
    expect(asked).toHaveLength(1);
    const { rows } = await db.pool.query(
      'select provider, calls, matches, failures, cents::float8 from provider_usage',
    );
    expect(rows).toEqual([{ provider: 'batchdata', calls: 1, matches: 1, failures: 0, cents: 7 }]);
    const traces = await db.pool.query('select source, matched from traces');
    expect(traces.rows).toEqual(Array.from({ length: 9 }, () => ({ source: 'batchdata', matched: true })));
  });

  test.each([
    [
      'nobody there',
      { status: { code: 200 }, result: { data: [{ meta: { matched: false }, persons: [] }] } },
    ],
    ['no record', { result: { data: [null] } }],
    ['somebody else', { result: { data: [{ persons: [V3.result.data[0].persons[0]] }] } }],
    [
      'nobody with a telephone',
      { result: { data: [{ persons: [{ name: { first: 'Ada', last: 'Nowell' }, phones: [] }] }] } },
    ],
  ])('%s is no match, which is kept as well', async (_what, body) => {
    reply = json(200, body);
    expect(await traceAt(api)).toMatchObject({
      status: 200,
      tokens: 0,
      body: { matched: false, phones: [] },
    });
    await traceAt(api);
    expect(asked).toHaveLength(1);
  });

  test('is not called without a street, which it requires', async () => {
    expect(await traceAt(api, { first_name: 'Ada', last_name: 'Nowell', zip: '03431' })).toMatchObject({
      status: 200,
      body: { matched: false },
    });
    expect(asked).toHaveLength(0);
  });

  test('a response in another format is an error that names no one', async () => {
    reply = json(200, { results: [{ phone: '6035550101' }] });
    const { status, tokens, retry, text } = await traceAt(api);
    expect({ status, tokens, retry }).toEqual({ status: 503, tokens: 0, retry: '300' });
    expect(text).not.toMatch(/5550101|batchdata/);
  });

  test('a company is looked up by its address, and an answer about a forgotten person is erased', async () => {
    const id = 33_019e8 + 7;
    await insertParcels(db.pool, [{ property_id: id, owner_name: 'ZEPHYR LAND LLC' }]);
    await db.pool.query(
      "update parcels set mail_address = '12 ZEPHYR ST', mail_zip = '03431', mail_state = 'NH', mail_city = 'KEENE' where property_id = $1 and fips = 33019",
      [id],
    );
    reply = json(200, V3);
    const { json: body } = await api.call(`/api/public/v1/properties/${id}/skip-trace/`, {
      key,
      method: 'POST',
    });
    expect(body).toMatchObject({ matched: true, matched_on: 'entity', first_name: 'Karl' });
    const who = {
      subject: { person: person('Karl', 'Nowell')! },
      address: { address: '12 Zephyr St', city: null, state: null, zip: '03431' },
      number: null,
    };
    expect(await forgetContact(db.pool, who, 'test')).toMatchObject({ provider_answers: 1 });
    expect(
      (await api.call(`/api/public/v1/properties/${id}/skip-trace/`, { key, method: 'POST' })).json,
    ).toMatchObject({ matched: false });
    expect(asked).toHaveLength(2);
  });
});

describe('a provider from its description', async () => {
  const api = await startTestApi(db, { env: http });
  const found = {
    found: true,
    person: {
      first: 'Ada',
      last: 'Nowell',
      phones: [{ n: '+1 (603) 555-0101', t: 'cell', d: 'Y' }, { n: 'none' }],
    },
  };

  test('is called and read as described', async () => {
    reply = json(200, found);
    expect(await traceAt(api)).toMatchObject({
      status: 200,
      tokens: 20,
      body: { matched: true, phones: [{ number: '6035550101', line_type: 'Mobile', dnc: true }] },
    });
    expect(asked[0]).toMatchObject({
      url: '/people',
      headers: { 'x-key': 'k' },
      body: { first: 'ADA', last: 'NOWELL', street: '12 Zephyr St', zip: '03431' },
    });
    expect(asked[0]!.body).not.toHaveProperty('company');
  });

  test('a person with another name is someone else, and 404 is nobody', async () => {
    reply = json(200, { ...found, person: { ...found.person, first: 'Karl' } });
    expect((await traceAt(api)).body.matched).toBe(false);
    reply = json(404, {});
    expect((await traceAt(api, { ...ADA, zip: '03280' })).body.matched).toBe(false);
  });

  test('people on the suppression list are never looked up, whatever the provider knows', async () => {
    await suppress(
      db.pool,
      [{ person: person('Ada', 'Nowell')! }],
      [{ address: null, city: null, state: null, zip: '03431' }],
      [],
      'test',
    );
    expect((await traceAt(api)).body).toMatchObject({ matched: false, phones: [] });
    expect(asked).toHaveLength(0);
    await db.pool.query('truncate contact_suppressions');
    await suppress(db.pool, [], [], ['6035550101'], 'test');
    reply = json(200, found);
    expect((await traceAt(api)).body.matched).toBe(false);
  });

  test('an answer is kept for its configured time', async () => {
    reply = json(200, found);
    await traceAt(api);
    await db.pool.query("update provider_answers set asked_at = now() - interval '31 days'");
    await traceAt(api);
    expect(asked).toHaveLength(2);
  });
});

const FAULTS: [string, Reply][] = [
  ['answers 500', json(500, { secret: '6035550101' })],
  ['refuses the key', json(401, {})],
  ['redirects', (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
  ['answers no JSON', (_request, response) => response.end('<html>6035550101')],
  [
    'breaks off',
    (_request, response) =>
      response.writeHead(200, { 'content-length': 99 }).write('{', () => response.destroy()),
  ],
  ['hangs up', request => request.socket.destroy()],
  ['is silent', () => {}],
];

describe('a provider that fails', () => {
  test.each(FAULTS)('%s: BatchData as any other', async (_what, fault) => {
    const { ask } = batchData(server.origin, 'key', { totalMs: 300, tries: 2, pauseMs: 1 });
    reply = fault;
    const address = { address: '12 Zephyr St', city: null, state: null, zip: '03431' };
    const asking = ask({ subject: { person: person('Ada', 'Nowell')! }, address });
    await expect(asking).rejects.toMatchObject({
      code: 'provider',
      status: 503,
      message: expect.not.stringMatching(/603555|Zephyr/),
    });
  });

  test.each(FAULTS)(
    '%s: 503 with Retry-After at 0 tokens, nothing of it in the answer, and no trace',
    async (_what, fault) => {
      declare({ timeout_ms: 300, tries: 2 });
      const api = await startTestApi(db, { env: http });
      reply = fault;
      const before = await usageOf(db, accountId);
      const { status, tokens, retry, body, text } = await traceAt(api);
      expect({ status, tokens, code: body.error?.code }).toEqual({
        status: 503,
        tokens: 0,
        code: 'internal_error',
      });
      expect(Number(retry)).toBeGreaterThan(0);
      expect(text.replace(/"request_id":"[^"]*"/, '')).not.toMatch(/603555|example|127\.0\.0\.1/);
      expect(await usageOf(db, accountId)).toEqual(before);
      const { rows } = await db.pool.query('select calls, matches, failures from provider_usage');
      expect(rows).toEqual([{ calls: 1, matches: 0, failures: 1 }]);
      expect((await db.pool.query('select from traces')).rows).toHaveLength(0);
      await api.stop();
    },
  );

  test('it is paused after five failures, and a repeat with the same Idempotency-Key may succeed later', async () => {
    declare({ timeout_ms: 10_000, tries: 1 });
    const api = await startTestApi(db, { env: http });
    reply = json(502, {});
    for (let i = 0; i < 7; i++)
      expect(await traceAt(api, { ...ADA, zip: `0343${i}` })).toMatchObject({ status: 503 });
    expect(asked).toHaveLength(5);
    const other = await startTestApi(db, { env: http });
    expect(await traceAt(other, ADA, { 'Idempotency-Key': 'again' })).toMatchObject({ status: 503 });
    reply = json(200, {
      found: true,
      person: { first: 'Ada', last: 'Nowell', phones: [{ n: '6035550101' }] },
    });
    expect(await traceAt(other, ADA, { 'Idempotency-Key': 'again' })).toMatchObject({
      status: 200,
      tokens: 20,
    });
  });
});

test('settings that name a provider without its key are refused', async () => {
  await expect(startTestApi(db, { env: { SKIP_TRACE_PROVIDER: 'batchdata' } })).rejects.toThrow(
    'needs BATCHDATA_API_KEY',
  );
});
