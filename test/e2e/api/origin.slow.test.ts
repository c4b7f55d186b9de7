import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { newCaller, startTestApi, type TestApi } from '../../support/api.ts';
import { apiProcesses } from '../../support/api-process.ts';
import { createTestDatabase } from '../../support/database.ts';
import { insertParcels } from '../../support/parcels.ts';
import { runCommand } from '../../support/plat.ts';
import { askHost, sendRaw } from '../../support/raw.ts';
import { mailTo, newUser, visitor } from '../../support/visitor.ts';

const SEARCH = '/api/public/v1/properties/search/?fips=33019&owner_name=linked&page_size=1';
const METADATA = ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server'];

const db = await createTestDatabase();
/** Each with an outbox of its own. */
const start = (name: string, env: Record<string, string> = {}) =>
  startTestApi(db, { pages: true, env: { PLAT_DIR: join(db.folder, name), ...env } });
const loopback = await start('loopback');
const open = await start('open', { HOST: '0.0.0.0' });
const named = await start('named', { HOST: '0.0.0.0', ALLOWED_HOSTS: 'plat.example' });
const told = await start('told', {
  HOST: '0.0.0.0',
  BASE_URL: 'https://api.example.org',
  APP_URL: 'https://app.example.org',
});
const { startApi } = apiProcesses(db);

let key: string;
beforeAll(async () => {
  await insertParcels(
    db.pool,
    [1, 2].map(serial => ({ property_id: 33_019e8 + serial, owner_name: 'LINKED' })),
  );
  ({ key } = await newCaller(db));
});

/** The port that a service listens on. */
const portOf = ({ url }: TestApi) => new URL(url).port;

async function search(api: TestApi, host: string) {
  const reply = await askHost(api.url, host, SEARCH, { headers: { Authorization: `Bearer ${key}` } });
  expect(reply.status).toBe(200);
  const { next, results } = JSON.parse(reply.body) as { next: string; results: { url: string }[] };
  return { next: next.replace(/&cursor=.*/, ''), url: results[0]!.url };
}
const NEXT = `${SEARCH}&page=2`;
const PARCEL = '/data?parcel=3301900000001';

/** Asks for a mail with a link from a page of that host. */
const askForMail = (api: TestApi, host: string, email: string, path = '/sign-in/reset') =>
  askHost(api.url, host, path, {
    headers: { Origin: `http://${host}` },
    form: { email, how: 'link' },
  });

const outboxOf = ({ config }: TestApi) => join(config.PLAT_DIR, 'outbox');

describe('on loopback, where nothing is set', () => {
  test.each([
    'GET / HTTP/1.1',
    'GET /data HTTP/1.1',
    'GET /docs HTTP/1.1',
    'POST /mcp HTTP/1.1',
    'OPTIONS / HTTP/1.1',
  ])('a stranger is told by 421 and the envelope: %s', async line => {
    const text = await sendRaw(
      loopback.url,
      `${line}\r\nHost: evil.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1.1 421 /);
    expect(text.toLowerCase()).toContain('x-request-id: ');
    expect(JSON.parse(text.split('\r\n\r\n')[1]!)).toMatchObject({ error: { code: 'not_found' } });
    expect(text).not.toContain('evil.example');
  });

  test('balancers and collectors ask by whatever they call it', async () => {
    for (const path of ['/healthz', '/readyz', '/readyz/', '/metrics'])
      expect((await askHost(loopback.url, 'evil.example', path)).status).toBe(200);
  });

  test.each(['localhost', '127.0.0.1', '[::1]'])('it is served by the name %s', async name => {
    const host = `${name}:${portOf(loopback)}`;
    expect(await search(loopback, host)).toEqual({
      next: `http://${host}${NEXT}`,
      url: `${loopback.url}${PARCEL}`,
    });
    expect((await askHost(loopback.url, host, '/sign-in')).status).toBe(200);
    // Of the one address, by whichever name it is called.
    for (const path of METADATA) {
      const { body } = await askHost(loopback.url, host, path);
      expect(body).toContain(`"${loopback.url}`);
      expect(body.replaceAll(`"${loopback.url}`, '')).not.toContain('://');
    }
  });

  test('another port leads to no other address than its own', async () => {
    for (const path of METADATA)
      expect((await askHost(loopback.url, 'localhost:1', path)).body).toContain(`"${loopback.url}`);
    expect((await search(loopback, 'localhost:1')).url).toBe(loopback.url + PARCEL);
  });

  test('no Host changes where a mailed link leads', async () => {
    const [victim, user] = [await newUser(db), await newUser(db)];
    for (const path of ['/sign-in', '/sign-in/reset'])
      expect((await askForMail(loopback, 'evil.example', victim.email, path)).status).toBe(421);
    expect((await askForMail(loopback, 'localhost:1', user.email)).status).toBe(200);
    expect(await mailTo(loopback, user.email, loopback.url)).toMatch(/^\/sign-in\/link\//);
    expect(readdirSync(outboxOf(loopback)).filter(name => name.includes(victim.email))).toEqual([]);
  });

  test('a request that names no host is answered', async () => {
    const head = `Authorization: Bearer ${key}\r\n`;
    for (const request of [
      `GET ${SEARCH} HTTP/1.0\r\n${head}\r\n`,
      `GET ${SEARCH} HTTP/1.1\r\nHost:\r\nConnection: close\r\n${head}\r\n`,
    ]) {
      const text = await sendRaw(loopback.url, request);
      expect(text).toMatch(/^HTTP\/1.1 200 /);
      expect(JSON.parse(text.split('\r\n\r\n')[1]!).next).toMatch(`${loopback.url}/api/`);
    }
  });

  test('a target in absolute form names the host, whatever the Host header says', async () => {
    const own = new URL(loopback.url).host;
    expect((await askHost(loopback.url, own, 'http://evil.example/data')).status).toBe(421);
    expect((await askHost(loopback.url, own, 'http://a:99999/data')).status).toBe(400);
    for (const target of [`http://${own}/data`, `HTTPS://${own}/data`]) {
      const reply = await askHost(loopback.url, 'evil.example', target);
      expect([reply.status, /^location: (.*)$/im.exec(reply.head)?.[1]]).toEqual([
        303,
        '/sign-in?next=%2Fdata',
      ]);
    }
    expect((await askHost(loopback.url, 'evil.example', `http://${own}`)).status).toBe(200);
  });

  test('X-Forwarded-Host is heard from trusted proxies alone, and names no stranger either', async () => {
    const forwarded = { headers: { 'X-Forwarded-Host': 'evil.example' } };
    const own = new URL(loopback.url).host;
    expect((await askHost(loopback.url, own, '/', forwarded)).body).toContain(`"${loopback.url}/docs/"`);
    const proxied = await start('proxied', { TRUSTED_PROXIES: 'loopback' });
    expect((await askHost(proxied.url, own, '/', forwarded)).status).toBe(421);
  });
});

describe('with BASE_URL and APP_URL', () => {
  test.each(['api.example.org', 'app.example.org:8443', 'localhost:1', '127.0.0.1'])(
    'links lead there when %s is asked',
    async host => {
      expect(await search(told, host)).toEqual({
        next: `https://api.example.org${NEXT}`,
        url: `https://app.example.org${PARCEL}`,
      });
      for (const path of METADATA) {
        const { body } = await askHost(told.url, host, path);
        expect(body.replaceAll('"https://app.example.org', '')).not.toContain('://');
      }
      const { head } = await askHost(told.url, host, '/mcp', { form: {} });
      expect(head).toContain(
        'resource_metadata="https://app.example.org/.well-known/oauth-protected-resource/mcp"',
      );
    },
  );

  test('strangers get 421', async () => {
    for (const host of ['evil.example', '0.0.0.0', 'org', 'example.org'])
      expect((await askHost(told.url, host, '/')).status).toBe(421);
  });

  test('the mail leads to APP_URL', async () => {
    const user = await newUser(db);
    const { status } = await askHost(told.url, 'localhost:1', '/sign-in/reset', {
      headers: { Origin: 'https://app.example.org', 'Sec-Fetch-Site': 'same-origin' },
      form: { email: user.email },
    });
    expect(status).toBe(200);
    expect(await mailTo(told, user.email, 'https://app.example.org')).toMatch(/^\/sign-in\/link\//);
  });

  test('cookies are Secure, behind a trusted proxy or not, those of OAuth too', async () => {
    const user = await newUser(db);
    const { head } = await askHost(told.url, 'app.example.org', '/sign-in', {
      headers: { Origin: 'https://app.example.org' },
      form: { email: user.email, password: user.password, how: 'password' },
    });
    expect(/^set-cookie: plat_session=.*$/im.exec(head)?.[0]).toMatch(/; Secure\b/);
    const redirect = 'http://127.0.0.1:9/callback';
    const registered = await fetch(`${loopback.url}/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [redirect], client_name: 'Test' }),
    });
    const { client_id } = (await registered.json()) as { client_id: string };
    const query = new URLSearchParams({
      client_id,
      redirect_uri: redirect,
      response_type: 'code',
      scope: 'api:mcp',
      state: 'x',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    });
    const asked = await askHost(told.url, 'app.example.org', `/oauth/authorize?${query}`);
    const cookies = asked.head.match(/^set-cookie: .*$/gim) ?? [];
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) expect(cookie.toLowerCase()).toContain('; secure');
  });
});

describe('listening elsewhere, where nothing is set', () => {
  test.each(['evil.example', 'localhost:1', '10.0.0.7:3000'])(
    '%s is answered with relative links',
    async host => {
      expect(await search(open, host)).toEqual({ next: NEXT, url: PARCEL });
      expect(JSON.parse((await askHost(open.url, host, '/')).body)).toMatchObject({ docs: '/docs/' });
    },
  );

  test('answers conform to what is published, pictures, reports and tools with them', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const report = await open.call('/api/public/v1/comp-reports/', {
      key,
      method: 'POST',
      headers,
      body: JSON.stringify({ property_id: 3301900000001 }),
    });
    expect(report.json).toMatchObject({ url: expect.stringMatching(/^\/comping\/[0-9a-f-]{36}$/) });
    expect((await open.call(SEARCH, { key })).json).toMatchObject({ results: [{ url: PARCEL }] });
  });

  test('no mail is sent, and that is said whoever is asked for', async () => {
    const user = await newUser(db);
    for (const path of ['/sign-in', '/sign-in/reset'])
      for (const email of [user.email, 'who@no.example']) {
        const { status, body } = await askForMail(open, 'evil.example', email, path);
        expect([status, body.includes('BASE_URL')]).toEqual([422, true]);
      }
    const ana = visitor(open);
    await ana.signIn(user);
    const invited = await ana.submit('/account', { do: 'invite', email: 'colleague@acme.example' });
    expect([invited.status, invited.text.includes('BASE_URL')]).toEqual([400, true]);
    expect((await ana.open('/account')).text).toMatch(/assistants.*BASE_URL/s);
    const env = { DATABASE_URL: db.url, HOST: '0.0.0.0', PLAT_DIR: open.config.PLAT_DIR };
    const told = await runCommand(env, ['user', 'invite', 'bob@acme.example', '--company', 'Acme']);
    expect(told.out).toMatch(/\bemail\b.*\nhttp:\/\/127\.0\.0\.1:3000\/sign-in\/link\//);
    expect(existsSync(outboxOf(open))).toBe(false);
  });

  test('OAuth is off', async () => {
    for (const path of [...METADATA, '/oauth/authorize', '/oauth/jwks']) {
      const reply = await askHost(open.url, 'evil.example', path);
      expect([reply.status, JSON.parse(reply.body).error.code]).toEqual([404, 'not_found']);
    }
    expect((await askHost(open.url, 'evil.example', '/oauth/token', { form: {} })).status).toBe(404);
    const refused = await askHost(open.url, 'evil.example', '/mcp', { form: {} });
    expect(refused.status).toBe(401);
    expect(refused.head).not.toContain('resource_metadata');
  });

  test('people sign in, and forms are taken from the page that they see', async () => {
    const user = await newUser(db);
    const form = { email: user.email, password: user.password, how: 'password', next: '/data' };
    const signIn = (host: string, origin: string) =>
      askHost(open.url, host, '/sign-in', { headers: { Origin: origin }, form });
    expect((await signIn('plat.example:3000', 'http://plat.example:3000')).status).toBe(303);
    expect((await signIn('plat.example:3000', 'http://evil.example')).status).toBe(403);
  });

  test('the start says so', async () => {
    const { log, kill } = await startApi({ HOST: '0.0.0.0' });
    await expect.poll(log).toMatch(/0\.0\.0\.0[^\n]*BASE_URL/);
    expect(log()).toMatch(/0\.0\.0\.0[^\n]*METRICS_TOKEN/);
    await kill();
  });
});

test('with ALLOWED_HOSTS alone, links lead to those hosts, and no mail is sent', async () => {
  expect(await search(named, 'plat.example:3000')).toEqual({
    next: `http://plat.example:3000${NEXT}`,
    url: PARCEL,
  });
  expect((await askHost(named.url, 'evil.example', '/')).status).toBe(421);
  const user = await newUser(db);
  expect((await askForMail(named, 'plat.example', user.email)).status).toBe(422);
});

test('without METRICS_TOKEN, /metrics is there on loopback alone', async () => {
  expect((await open.call('/metrics')).status).toBe(404);
  const guarded = await start('guarded', { HOST: '0.0.0.0', METRICS_TOKEN: 'a-metrics-token' });
  const headers = { Authorization: 'Bearer a-metrics-token' };
  expect((await guarded.call('/metrics', { headers })).status).toBe(200);
  expect((await guarded.call('/metrics')).status).toBe(401);
});
