import { Writable } from 'node:stream';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { createKey, revokeKey, rotateKey, setKeyOrigins } from '../../../shared/accounts/accounts.ts';
import { changeAccount } from '../../../shared/accounts/contracts.ts';
import { MAP_SCOPE } from '../../../shared/accounts/tiers.ts';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';

const SITE = 'https://maps.example.com';
const OTHER = 'https://evil.example';
const TILE = '/ogc/collections/parcels/tiles/WebMercatorQuad/15/12019/9821';
const MAP_PATHS = [TILE, '/tiles.json', '/ogc/style.json'];

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { env: { CORS_ORIGINS: 'https://partner.example' } });
const account = await newCaller(db);
const mapKey = async (origins: string[] = [], accountId = account.accountId) =>
  createKey(db.pool, accountId, { name: 'map', scopes: [MAP_SCOPE], origins });
const { key: forSite } = await mapKey([SITE, 'http://localhost:5173']);
const { key: forPrograms } = await mapKey();

async function get(
  path: string,
  headers: Record<string, string> = {},
  { url, method }: { url?: string; method?: string } = {},
) {
  const response = await fetch((url ?? api.url) + path, { headers, method: method ?? 'GET' });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

const withToken = (path: string, token: string) => `${path}${path.includes('?') ? '&' : '?'}token=${token}`;
const codeOf = ({ text }: { text: string }) => JSON.parse(text).code ?? JSON.parse(text).error?.code;

beforeAll(async () => {
  expect((await get(withToken(TILE, forPrograms))).status).toBe(200);
});

describe('origins', () => {
  test.each(MAP_PATHS)('%s works on the websites of the key, and they can read it', async path => {
    for (const origin of [SITE, 'http://localhost:5173']) {
      const reply = await get(withToken(path, forSite), { Origin: origin });
      expect(reply.status, reply.text).toBe(200);
      expect(reply.headers.get('access-control-allow-origin')).toBe(origin);
      expect(reply.headers.get('vary')).toContain('Origin');
    }
    expect((await get(withToken(path, forSite), { Referer: `${SITE}/parcels?a=1` })).status).toBe(200);
  });

  test.each<Record<string, string>>([
    { Origin: OTHER },
    { Origin: 'null' },
    { Origin: `${SITE}.evil.example` },
    { Origin: `${SITE}:8443` },
    { Origin: 'http://maps.example.com' },
    { Referer: `${OTHER}/?${SITE}` },
    { Referer: 'no address' },
    { Origin: OTHER, Referer: `${SITE}/` },
    {},
  ])('not with %j', async headers => {
    for (const path of MAP_PATHS) {
      const reply = await get(withToken(path, forSite), headers);
      expect([reply.status, codeOf(reply)], path).toEqual([403, 'forbidden']);
      expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('a key without websites works in programs, and on no website', async () => {
    expect((await get(withToken(TILE, forPrograms))).status).toBe(200);
    expect((await get(withToken(TILE, forPrograms), { Origin: SITE })).status).toBe(403);
    expect((await get(withToken(TILE, forPrograms), { Referer: `${SITE}/` })).status).toBe(403);
  });

  test('pages can read errors, and ask first', async () => {
    const { key } = await mapKey([SITE], (await newCaller(db, { tokensIncluded: 0 })).accountId);
    const refused = await get(withToken(TILE, key), { Origin: SITE });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([402, SITE]);
    const preflight = (origin: string) =>
      get(
        withToken(TILE, key),
        { Origin: origin, 'Access-Control-Request-Method': 'GET' },
        { method: 'OPTIONS' },
      );
    const answer = await preflight(SITE);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, SITE]);
    expect(answer.headers.get('access-control-allow-methods')).toContain('GET');
    expect((await preflight(OTHER)).headers.get('access-control-allow-origin')).toBeNull();
  });

  test('changed websites apply', async () => {
    const { key, id } = await mapKey([SITE]);
    await setKeyOrigins(db.pool, id, [`${OTHER}/`], 'test');
    await expect.poll(async () => (await get(withToken(TILE, key), { Origin: OTHER })).status).toBe(200);
    expect((await get(withToken(TILE, key), { Origin: SITE })).status).toBe(403);
  });

  test('the operator can open Plat to all websites, but not a map key', async () => {
    const open = await startTestApi(db, { env: { CORS_ORIGINS: '*' } });
    const at = { url: open.url };
    expect(
      (await get(withToken(TILE, forSite), { Origin: SITE }, at)).headers.get('access-control-allow-origin'),
    ).toBe(SITE);
    expect((await get(withToken(TILE, forSite), { Origin: OTHER }, at)).status).toBe(403);
  });
});

describe('scopes', () => {
  test.each([
    '/api/public/v1/usage/',
    '/api/public/v1/properties/3301900001047/',
    '/ogc/collections/parcels/items',
    '/ogc/collections/parcels/items/3301900001047',
    '/ogc/collections/counties/items?limit=1',
  ])('a map key opens nothing else: %s', async path => {
    const bearer = { Authorization: `Bearer ${forPrograms}` };
    expect((await get(path, bearer)).status).toBe(403);
    const inUrl = await get(withToken(path, forPrograms));
    expect(inUrl.status).toBe(401);
    expect(inUrl.headers.get('x-tokens-used')).toBe('0');
    // Nor does a key with all rights in the URL.
    expect((await get(withToken(path, account.key))).status).toBe(401);
  });

  test('nor the tools for assistants', async () => {
    const response = await fetch(`${api.url}/mcp`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${forPrograms}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'get_usage', arguments: {} },
      }),
    });
    expect(await response.text()).toContain('api:mcp');
  });

  test('documents need no key, and do not take one', async () => {
    for (const path of [
      '/ogc/',
      '/ogc/collections/parcels/tiles',
      '/ogc/collections/parcels/tiles/WebMercatorQuad',
    ]) {
      expect((await get(path)).status).toBe(200);
      const { status, text } = await get(withToken(path, forPrograms));
      expect(status).toBe(400);
      expect(text).not.toContain(forPrograms);
    }
  });

  test('only map keys work in a URL', async () => {
    const { key: forAssistants } = await createKey(db.pool, account.accountId, {
      name: 'mcp',
      scopes: ['api:mcp'],
    });
    for (const path of MAP_PATHS)
      for (const key of [account.key, forAssistants]) {
        const reply = await get(withToken(path, key));
        expect([reply.status, codeOf(reply)]).toEqual([403, 'forbidden']);
      }
    expect((await get(TILE, { Authorization: `Bearer ${forAssistants}` })).status).toBe(403);
  });

  test.each(['bearer', 'password'])('a map key also works as a %s', async kind => {
    const secret = Buffer.from(`any:${forPrograms}`).toString('base64');
    const Authorization = kind === 'bearer' ? `Bearer ${forPrograms}` : `Basic ${secret}`;
    expect((await get(TILE, { Authorization })).status).toBe(200);
    expect((await get(TILE, { Authorization, Origin: SITE })).status).toBe(403);
  });

  test('has no other scope and only real websites', async () => {
    const refused = (scopes: string[], origins: string[] = []) =>
      createKey(db.pool, account.accountId, { name: 'x', scopes: scopes as never, origins }).then(
        () => 'created',
        error => error.code,
      );
    expect(await refused([MAP_SCOPE, 'api:direct'])).toBe('key_scopes');
    expect(await refused([MAP_SCOPE, MAP_SCOPE])).toBe('key_scopes');
    expect(await refused(['map:write'])).toBe('key_scopes');
    expect(await refused(['api:direct'], [SITE])).toBe('key_origins');
    for (const origin of [
      '*',
      'maps.example.com',
      `${SITE}/page`,
      `${SITE}?a`,
      `${SITE}#a`,
      'https://a@b.example',
      'ftp://a.example',
      'https://',
      'javascript:alert(1)',
      'https://*.example.com/',
      'null',
    ])
      expect(await refused([MAP_SCOPE], [origin]), origin).toBe('key_origins');
    expect(
      await refused(
        [MAP_SCOPE],
        Array.from({ length: 51 }, (_, at) => `https://a${at}.example`),
      ),
    ).toBe('key_origins');
    expect(await refused([MAP_SCOPE], [` ${SITE}/ `, '', SITE.toUpperCase()])).toBe('created');
  });
});

describe('keys that end', () => {
  test('an unknown, cut, or repeated key is 401', async () => {
    const unknown = `plat_${'A'.repeat(43)}`;
    for (const query of [
      `token=${unknown}`,
      `token=${forPrograms.slice(0, -1)}`,
      `token=${forPrograms}x`,
      'token=',
      `token=${forPrograms}&token=${forPrograms}`,
      '',
    ])
      expect((await get(`${TILE}?${query}`)).status, query).toBe(401);
  });

  test('a revoked key ends', async () => {
    const { key, id } = await mapKey();
    expect((await get(withToken(TILE, key))).status).toBe(200);
    await revokeKey(db.pool, id);
    await expect.poll(async () => (await get(withToken(TILE, key))).status).toBe(401);
  });

  test('an expired key ends, and a rotated key works for as long as it was given', async () => {
    let now = new Date();
    const timed = await startTestApi(db, { now: () => now });
    const at = { url: timed.url };
    const { key, id } = await mapKey([SITE]);
    const status = async (token: string) => (await get(withToken(TILE, token), { Origin: SITE }, at)).status;
    const { key: next } = await rotateKey(db.pool, id, 24);
    expect([await status(key), await status(next)]).toEqual([200, 200]);
    now = new Date(now.getTime() + 23.9 * 3_600_000);
    expect(await status(key)).toBe(200);
    now = new Date(now.getTime() + 0.2 * 3_600_000);
    expect([await status(key), await status(next)]).toEqual([401, 200]);
  });

  test('a key of a disabled account ends, and each account pays for its own', async () => {
    const [mine, yours] = [await newCaller(db), await newCaller(db)];
    const { key } = await mapKey([], mine.accountId);
    expect((await get(withToken(TILE, key))).status).toBe(200);
    expect(await usageOf(db, mine.accountId)).toMatchObject({ tokens: 1, calls: 1 });
    expect(await usageOf(db, yours.accountId)).toMatchObject({ tokens: 0, calls: 0 });
    await changeAccount(db.pool, mine.accountId, { disabled: true });
    await expect.poll(async () => (await get(withToken(TILE, key))).status).toBe(401);
  });
});

describe('secrecy', () => {
  test('the key is in no log line, error, or metric, and is stored as a hash', async () => {
    const lines: string[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const log = pino({ level: 'trace' }, stream);
    const logged = await startTestApi(db, {
      pages: true,
      log,
      env: { LOG_REQUESTS: 'true', METRICS_TOKEN: 'm'.repeat(32) },
    });
    const at = { url: logged.url };
    const { key, id } = await mapKey([SITE]);
    const errors: string[] = [];
    for (const path of [
      ...MAP_PATHS,
      `${TILE}/x`,
      `${TILE}?zoom=3`,
      '/ogc/collections/parcels/tiles/WebMercatorQuad/99/1/1',
      '/ogc/collections/parcels/items',
      '/api/public/v1/usage/',
      '/tiles/parcels/15/9821/12019.mvt',
      '/data',
      '/nothing',
      '/%E0%A4%A',
    ])
      for (const headers of [{ Origin: SITE }, { Origin: OTHER }, {}] as Record<string, string>[])
        for (const method of ['GET', 'POST', 'OPTIONS']) {
          const reply = await get(withToken(path, key), headers, { ...at, method });
          expect(reply.headers.get('referrer-policy'), path).toMatch(/no-referrer|same-origin/);
          if (reply.status >= 400) errors.push(reply.text);
        }
    // A failure inside: the database has no such table for a moment.
    await db.pool.query('alter table county_coverage rename to gone');
    const failed = await get(withToken('/tiles.json', key), { Origin: SITE }, at).finally(() =>
      db.pool.query('alter table gone rename to county_coverage'),
    );
    expect(failed.status).toBe(500);
    errors.push(failed.text);
    const metrics = await get('/metrics', { Authorization: `Bearer ${'m'.repeat(32)}` }, at);
    expect(metrics.text).toContain('plat_http_request_duration_seconds');
    await logged.stop();
    const all = lines.join('');
    expect(all).toContain('/tiles.json');
    expect(all).toContain('request failed');
    const random = key.slice(5);
    for (const text of [all, metrics.text, errors.join('')]) {
      expect(text).not.toContain(random);
      expect(text).not.toContain(encodeURIComponent(random));
    }
    const { rows } = await db.pool.query<{ key: object; audit: object }>(
      `select to_jsonb(k) as key, (select jsonb_agg(to_jsonb(a)) from audit a where entity_id = $1) as audit
       from api_keys k where id = $1::uuid`,
      [id],
    );
    expect(JSON.stringify(rows)).not.toContain(random);
    expect(rows[0]!.key).toMatchObject({ origins: [SITE], scopes: [MAP_SCOPE] });
    expect(JSON.stringify(rows[0]!.audit)).toContain(SITE);
  });

  test('descriptions repeat only the key that they were asked with', async () => {
    for (const path of ['/tiles.json', '/ogc/style.json']) {
      expect((await get(withToken(path, forPrograms))).text).toContain(`?token=${forPrograms}`);
      const { text } = await get(path, { Authorization: `Bearer ${account.key}` });
      expect(text).not.toContain('token=');
      expect(text).not.toContain(account.key);
    }
  });
});
