import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '../../shared/accounts/accounts.ts';
import { ingestJob } from '../../shared/feeds/ingest-runs.ts';
import { noComps } from '../../shared/feeds/no-comps.ts';
import { uuidV5 } from '../../shared/model/uuid.ts';
import { enqueue } from '../../shared/platform/queue/jobs.ts';
import { countCoverage } from '../../workers/ingest/kinds/assessor/merge-parcels.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { feedOf, ingest, insertRegions, square, writeFeatures } from '../support/ingest.ts';
import { insertParcels } from '../support/parcels.ts';
import { mailTo, newUser, visitor } from '../support/visitor.ts';
import { eventually } from '../support/workers.ts';

const db = await createTestDatabase();
const { folder } = db;
const api = await startTestApi(db, { pages: true, env: { PLAT_DIR: folder } });

const SCRIPT = '<script>alert(1)</script>';
const IMAGE = '"><img src=x onerror=alert(2)>';

beforeAll(async () => {
  await insertRegions(db.pool, [{ type: 'county', code: '33019', state: 'NH', fips: 33019 }]);
  writeFeatures(join(folder, 'roll.ndgeojson'), [
    {
      properties: { apn: '1', owner: SCRIPT, street: IMAGE, use: SCRIPT },
      geometry: square(-72.1, 43.2, 0.002),
    },
  ]);
  const definition = {
    name: 'hostile',
    title: SCRIPT,
    attribution: IMAGE,
    kind: 'assessor',
    fips: '33019',
    roll: {
      source: 'roll.ndgeojson',
      format: 'ndgeojson',
      key: 'apn',
      columns: { apn: 'apn', owner_name: 'owner', situs_address: 'street', land_use_code: 'use' },
    },
  };
  await ingest(db.pool, feedOf(folder, definition));
});

describe('protection from others', () => {
  test('forms from other sites change nothing', async () => {
    const user = await newUser(db);
    const ana = visitor(api);
    await ana.signIn(user);
    const forge = (headers: Record<string, string>) =>
      ana.submit('/account', { do: 'create key', name: 'x', scope: 'api:direct' }, headers);
    expect((await forge({ Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' })).status).toBe(
      403,
    );
    expect((await forge({ Origin: 'null' })).status).toBe(403);
    expect((await forge({ 'Sec-Fetch-Site': 'same-site' })).status).toBe(403);
    const { rows } = await db.pool.query('select id from api_keys where account_id = $1', [user.accountId]);
    expect(rows).toEqual([]);
  });

  test('no page may be framed, run third-party scripts, or be cached by others', async () => {
    const page = await visitor(api).open('/sign-in');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('referrer-policy')).toBe('same-origin');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.text).not.toMatch(/<script(?![^>]*src=)|\son\w+=|style=/);
  });

  test('text from a feed or a URL is text, never markup', async () => {
    const user = await newUser(db);
    const ana = visitor(api);
    await ana.signIn(user);
    const id = 3301900000001;
    for (const path of [
      `/data?county=33019&parcel=${id}`,
      '/data?county=33019',
      '/data?county=33019&view=table',
      `/data?county=${encodeURIComponent(SCRIPT)}`,
      `/markets?bucket=${encodeURIComponent(IMAGE)}`,
      '/coverage',
    ]) {
      const { text, status } = await ana.open(path);
      expect(status).toBe(200);
      expect(text).not.toContain(SCRIPT);
      expect(text).not.toContain('<img src=x');
    }
    expect((await ana.open(`/data?county=33019&parcel=${id}`)).text).toContain('&lt;script>alert(1)');
    expect((await ana.open(`/data/drawing/${id}.svg`)).text).not.toContain(SCRIPT);
  });

  test('a county is found by its usual name; several matches or none lead to a message', async () => {
    const ana = visitor(api);
    await ana.signIn(await newUser(db));
    const open = async (county: string) =>
      (await ana.open(`/data?county=${encodeURIComponent(county)}`)).text;
    const count = /<output id="count">[\d,]+/.exec(await open('33019'))?.[0];
    expect(count).toMatch(/>[1-9]/);
    // The only Sullivan with parcels here, and a field that shows what was understood.
    for (const name of ['Sullivan, NH', 'sullivan', 'Sullivan County, New Hampshire']) {
      const text = await open(name);
      expect(text).toContain(count);
      expect(text).toMatch(/name="county"[^>]*value="Sullivan, NH"/);
    }
    expect(await open('Essex')).toMatch(/“Essex” [^<]*Essex, MA; Essex, NJ; /);
    expect(await open('Sulivan, NH')).toMatch(/“Sulivan, NH”[^<]*[^“]Sullivan, NH/);
  });

  test('a search without hits says what is unknown in the county, and what matches without that filter', async () => {
    const ana = visitor(api);
    await ana.signIn(await newUser(db));
    const open = async (query: string) => (await ana.open(`/data?county=33019&${query}`)).text;
    const count = (text: string) => /<output id="count">([\d,]+)/.exec(text)![1];
    const all = count(await open('acres_min=1'));
    // Neither wetlands nor roads were loaded.
    const text = await open('acres_min=1&wetlands_percent_max=5&road_frontage_min=10');
    expect(count(text)).toBe('0');
    expect(text).toMatch(new RegExp(`[Ww]etlands or road [^<]*Sullivan, NH.*<b>${all}</b>`));
    expect(text).toContain('href="/data?county=33019&amp;acres_min=1"');
    // What is known and matches nothing is no gap.
    const known = await open('acres_min=900000');
    const rows = (page: string) =>
      [...page.matchAll(/<tr><th scope="row">(.*?)<\/th><td class="figure">([\d,]+)/g)].map(
        ([, words, hits]) => `${words!.replace(/<[^>]*>/g, '')}: ${hits}`,
      );
    const county = rows(known).at(-1)!;
    expect(county).toMatch(/Sullivan, NH: [1-9]/);
    expect(text).toContain('/coverage/33019"');
    expect(known).not.toContain('/coverage/33019"');
    // Each filter is taken off alone; the map draws what is left without the first.
    const both = await open('acres_min=900000&apn=nothing');
    expect(rows(both)).toEqual([
      expect.stringMatching(/\b900,000 acres”: 0$/),
      expect.stringMatching(/\bnothing”: 0$/),
      county,
    ]);
    expect(both).not.toContain('data-near-miss');
    const one = await open('acres_min=900000&exclude_hoa_owner=true');
    expect(rows(one)).toEqual([
      expect.stringMatching(/\b900,000 acres”: [1-9]/),
      expect.stringMatching(/: 0$/),
      county,
    ]);
    expect(one).toContain('data-near-miss="?county=33019&amp;exclude_hoa_owner=true"');
  });

  test('a county without sold comps says why on /coverage', async () => {
    await insertParcels(db.pool, [{ property_id: 23_019e8 + 1 }]);
    await db.pool.query(
      `insert into regions (id, type, code, name, state, county_name, fips)
       values (gen_random_uuid(), 'county', '23019', 'Penobscot County', 'ME', 'Penobscot County', 23019)`,
    );
    await countCoverage(db.pool, [23_019]);
    const ana = visitor(api);
    await ana.signIn(await newUser(db));
    const why = noComps('ME', false).message;
    expect((await ana.open('/coverage')).text).toContain(why);
    await db.pool.query(
      "delete from parcels where fips = 23019; delete from regions where fips = 23019; delete from region_stats where code = '23019'",
    );
    await countCoverage(db.pool, [23_019]);
  });

  test("another company's keys, sessions, and markets can't be reached by id", async () => {
    const [ana, bob] = [await newUser(db), await newUser(db)];
    const { id: key } = await createKey(db.pool, bob.accountId, { name: 'bob' });
    const browser = visitor(api);
    await browser.signIn(ana);
    const theirs = visitor(api);
    await theirs.signIn(bob);
    expect((await browser.submit('/account', { do: 'revoke key', id: key })).status).toBe(400);
    const { rows } = await db.pool.query<{ id: string }>('select id from sessions where user_id = $1', [
      bob.id,
    ]);
    await browser.submit('/account', { do: 'end session', id: rows[0]!.id });
    const county = uuidV5('county:33019');
    await theirs.submit('/markets', { region_id: county, status: 'Theirs' });
    const { rows: markets } = await db.pool.query<{ id: string }>('select id from saved_markets');
    await browser.submit('/markets', { do: 'remove', id: markets[0]!.id });
    expect((await theirs.open('/markets')).text).toContain('Theirs');
    expect((await browser.open('/markets')).text).not.toContain('Theirs');
    expect((await theirs.open('/data')).status).toBe(200);
    const { rows: keys } = await db.pool.query('select revoked_at from api_keys where id = $1', [key]);
    expect(keys).toEqual([{ revoked_at: null }]);
  });

  test('the app requires Pro, the account page does not, and /admin is for operators', async () => {
    const user = await newUser(db, { pro: false });
    const ana = visitor(api);
    await ana.signIn(user);
    expect([
      (await ana.open('/data')).status,
      (await ana.open('/account')).status,
      (await ana.open('/coverage')).status,
    ]).toEqual([402, 200, 200]);
    expect((await ana.open('/admin')).status).toBe(404);
    const operator = visitor(api);
    await operator.signIn(await newUser(db, { operator: true }));
    expect((await operator.open('/admin')).status).toBe(200);
  });

  test('a second retry of a job says that the job has already continued', async () => {
    const payload = { feed: 'hostile', force: false, sources: {}, requestedBy: 'ana' };
    const { id } = await enqueue(db.pool, ingestJob, payload);
    await db.pool.query("update jobs set status = 'failed', finished_at = now() where id = $1", [id]);
    const operator = visitor(api);
    await operator.signIn(await newUser(db, { operator: true }));
    expect((await operator.submit('/admin/job', { id })).status).toBe(303);
    const { status, text } = await operator.submit('/admin/job', { id });
    expect([status, text]).toEqual([404, expect.stringContaining('job')]);
  });
});

test('a missing page is a 404, whatever the URL', async () => {
  const ana = visitor(api);
  await ana.signIn(await newUser(db));
  const unknown = '00000000-0000-4000-8000-000000000000';
  for (const path of [
    '/deals/nope',
    `/deals/${unknown}`,
    '/comping/nope',
    `/comping/${unknown}`,
    '/comping/shared/nope',
    '/markets/nope',
    '/markets/99999',
    '/markets/zip/nope',
    '/markets/zip/99998',
    '/tiles/zips/1/2/nope',
  ])
    expect([path, (await ana.open(path)).status]).toEqual([path, 404]);
});

describe('the account', () => {
  test('a key is created, shown once, recorded with its creator, and revoked', async () => {
    const user = await newUser(db);
    const ana = visitor(api);
    await ana.signIn(user);
    const page = await ana.submit('/account', { do: 'create key', name: 'website', scope: 'api:direct' });
    const key = /plat_[\w-]{43}/.exec(page.text)![0];
    expect((await api.call('/api/public/v1/usage/', { key })).status).toBe(200);
    expect((await ana.open('/account')).text).not.toContain(key);
    const { rows } = await db.pool.query<{ id: string; actor: string }>(
      "select entity_id as id, actor from audit where entity = 'api_keys' and account_id = $1",
      [user.accountId],
    );
    expect(rows).toEqual([{ id: expect.any(String), actor: user.email }]);
    expect((await ana.submit('/account', { do: 'revoke key', id: rows[0]!.id })).status).toBe(200);
    await eventually(async () => (await api.call('/api/public/v1/usage/', { key })).status === 401);
  });

  test('reading in the app costs no tokens', async () => {
    const user = await newUser(db);
    const ana = visitor(api);
    await ana.signIn(user);
    expect((await ana.open('/data?county=33019&parcel=3301900000001')).status).toBe(200);
    expect((await ana.open('/account')).text).toMatch(
      /<section[^>]*id="usage"(?:(?!<table|<\/section>).)*<\/section>/s,
    );
  });

  test("a colleague is invited by email, sees the company and its account, and can't create keys", async () => {
    const user = await newUser(db);
    const ana = visitor(api);
    await ana.signIn(user);
    const invite = { do: 'invite', email: 'new@acme.example' };
    const invited = await ana.submit('/account', invite);
    const path = await mailTo(api, 'new@acme.example');
    // Without SMTP the link is for the one who invites to pass on; nobody else's is ever shown.
    expect(invited.text).toContain(api.url + path);
    const colleague = visitor(api);
    expect((await colleague.submit(path, { password: 'some words of my own' })).status).toBe(303);
    expect((await colleague.open('/data?county=33019')).status).toBe(200);
    expect(
      (await colleague.submit('/account', { do: 'create key', name: 'x', scope: 'api:direct' })).status,
    ).toBe(403);
    const again = await ana.submit('/account', invite);
    expect(again.status).toBe(400);
    expect(again.text).not.toContain('/sign-in/link/');
  });
});

test("the owner sees every change to the account, and who made it; a colleague doesn't", async () => {
  const user = await newUser(db);
  const ana = visitor(api);
  await ana.signIn(user);
  const changes: Record<string, string>[] = [
    { do: 'create key', name: 'website', scope: 'api:direct' },
    { do: 'invite', email: 'colleague@acme.example' },
    { do: 'password', current: user.password, password: 'another four words now' },
  ];
  for (const change of changes) await ana.submit('/account', change);
  await ana.submit('/account', { do: 'end session', id: '00000000-0000-0000-0000-000000000000' });
  const page = (await ana.open('/account')).text;
  for (const said of ['key website', 'invitation colleague@acme.example']) expect(page).toContain(said);
  const colleague = visitor(api);
  await colleague.submit(await mailTo(api, 'colleague@acme.example'), { password: 'some words of my own' });
  expect((await colleague.open('/account')).text).not.toContain('Activity');
});

test("a session with too many requests is told to wait, and others aren't", async () => {
  const [ana, bob] = [visitor(api), visitor(api)];
  const user = await newUser(db);
  await ana.signIn(user);
  await bob.signIn(await newUser(db));
  expect((await ana.open('/data')).status).toBe(200);
  // From later on, as a slow machine would fill it meanwhile.
  await db.pool.query(
    "update rate_buckets set level = 0, updated_at = now() + interval '1 hour' where account_id in (select id from sessions where user_id = $1)",
    [user.id],
  );
  const refused = await ana.open('/tiles/parcels/0/0/0.mvt');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await bob.open('/data')).status).toBe(200);
});

describe('tiles', () => {
  test('require a session, are cached by ETag, and contain the parcel', async () => {
    const path = '/tiles/parcels/14/4910/5998.mvt';
    expect((await visitor(api).open(path)).status).toBe(401);
    const ana = visitor(api);
    await ana.signIn(await newUser(db));
    const n = 2 ** 14;
    const x = Math.floor((-72.099 / 360 + 0.5) * n);
    const sine = Math.sin((43.201 * Math.PI) / 180);
    const y = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * n);
    const tile = await ana.open(`/tiles/parcels/14/${x}/${y}.mvt`);
    expect(tile.status).toBe(200);
    expect(tile.text).toContain('parcels');
    expect(tile.text).not.toContain('apn');
    const again = await ana.open(`/tiles/parcels/14/${x}/${y}.mvt`, {
      'If-None-Match': tile.headers.get('etag')!,
    });
    expect(again.status).toBe(304);
    for (const wrong of ['parcels/14/99999/1', 'parcels/30/1/1', 'secrets/1/1/1', 'parcels/1/1/-1'])
      expect((await ana.open(`/tiles/${wrong}.mvt`)).status).toBe(404);
  });
});
