import { beforeAll, describe, expect, test } from 'vitest';
import { insertRegions, newCaller, posting, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { call, connect } from '../support/mcp.ts';
import { newUser, visitor } from '../support/visitor.ts';

// PostgreSQL keeps neither NUL nor half of a surrogate pair: wherever they come in, the field is named.

const db = await createTestDatabase();
const api = await startTestApi(db, { pages: true });
const { key } = await newCaller(db);
const V1 = '/api/public/v1';
const ana = visitor(api);

beforeAll(async () => {
  await insertRegions(db);
  await ana.signIn(await newUser(db));
});

const refusal = (field: string) => ({
  error: { code: 'validation_error', details: { [field]: [expect.stringMatching(/NUL|control|letter/)] } },
});

describe('of the API', () => {
  test.each([
    ['/regions/?q=Sul%00livan', 'q'],
    ['/regions/?q=%00', 'q'],
    ['/properties/search/?fips=33019&owner_name=SMITH%00', 'owner_name'],
    ['/properties/search/?fips=33019&apn=1%00', 'apn'],
    ['/comps/?zip=03280&polygon=%00', 'polygon'],
  ])('a query: %s', async (path, field) => {
    const reply = await api.call(V1 + path, { key });
    expect(reply.json).toMatchObject({
      error: { code: 'validation_error', details: { [field]: [expect.any(String)] } },
    });
    expect(reply.headers.get('x-tokens-used')).toBe('0');
  });

  test.each([
    ['/properties/filter/', '{"county":"33019","subdivisions":["Oak Hill","a\\u0000"]}', 'subdivisions'],
    ['/properties/filter/', '{"county":"33019","subdivisions":["\\ud800"]}', 'subdivisions'],
    ['/properties/filter/', '{"county":"33019","owner_name":"\\udc00"}', 'owner_name'],
    ['/properties/filter/', '{"county":"33019","school_district":"\\ud83d"}', 'school_district'],
    ['/skip-trace/', '{"first_name":"A\\u0000","last_name":"B","zip":"03280"}', 'first_name'],
    ['/skip-trace/', '{"first_name":"A","last_name":"B","zip":"03280","address":"\\ud83d 1"}', 'address'],
    ['/markets/', '{"region_id":"78b5033a-d2a6-5d19-b2bf-83916be6fa57","status":"\\ud83d"}', 'status'],
    ['/markets/', '{"region_id":"78b5033a-d2a6-5d19-b2bf-83916be6fa57","status":"\\u0000"}', 'status'],
  ])('JSON: %s %s', async (path, body, field) => {
    const reply = await api.call(V1 + path, posting(key, body));
    expect(reply.json).toMatchObject(refusal(field));
    expect(reply.status).toBe(400);
  });

  test("an assistant's tool", async () => {
    const { key: own } = await newCaller(db, {}, { scopes: ['api:mcp'] });
    const client = await connect(api, own);
    const given = { county: '33019', subdivisions: ['a\0b'] };
    expect(JSON.parse((await call(client, 'filter_properties', given)).text)).toMatchObject(
      refusal('subdivisions'),
    );
  });

  test('complete surrogate pairs and everything else may be in a text', async () => {
    const body = JSON.stringify({ county: '33019', subdivisions: ['Ñandú 😀 \u0301'] });
    expect((await api.call(`${V1}/properties/filter/`, posting(key, body))).status).toBe(200);
  });
});

describe('of the web app', () => {
  test.each([
    ['/sign-in', { email: 'a\0@b.example', how: 'link' }, 'email'],
    ['/sign-in', { email: 'a@b.example', password: 'x\0', how: 'password' }, 'password'],
    ['/sign-in/reset', { email: '\0' }, 'email'],
    ['/account', { do: 'invite', email: 'a\0@b.example' }, 'email'],
    ['/account', { do: 'create key', name: 'a\0', scope: 'api:direct' }, 'name'],
  ])('a form: %s %j', async (path, fields, field) => {
    const { status, text } = await ana.submit(path, fields);
    expect(status).toBe(400);
    expect(text).toMatch(new RegExp(`<b>${field}</b> .*NUL`));
  });

  test.each([
    ['/data?owner_name=%00', 'owner_name'],
    ['/comping/%00', 'path'],
    ['/deals/%00', 'path'],
    ['/oauth/consent/%00', 'path'],
  ])('an address: %s', async (path, field) => {
    const { status, text } = await ana.open(path);
    expect([status, text]).toEqual([400, expect.stringContaining(field)]);
  });
});

describe('of the authorization server', () => {
  const register = (metadata: string) =>
    fetch(`${api.url}/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: `{"redirect_uris":["http://localhost:1/x"],${metadata}}`,
    });

  test('a URL', async () => {
    const reply = await fetch(`${api.url}/oauth/authorize?client_id=x&state=%00`);
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject(refusal('state'));
  });

  test.each(['"client_name":"a\\u0000"', '"client_name":"\\ud800"'])('a registration: %s', async metadata => {
    const reply = await register(metadata);
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ error_description: expect.stringContaining('client_name') });
  });

  test.each(['/oauth/token', '/oauth/revoke'])('a form: %s', async path => {
    const { client_id } = (await (await register('"client_name":"a"')).json()) as { client_id: string };
    const form = { client_id, grant_type: 'authorization_code', code: '\0', token: '\0', redirect_uri: '\0' };
    const { status } = await fetch(api.url + path, { method: 'POST', body: new URLSearchParams(form) });
    expect(status).toBeLessThan(500);
  });
});
