import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../shared/platform/config.ts';
import { createLogger } from '../../../shared/platform/log.ts';
import { expireRecords } from '../../../workers/housekeeping/expire-records-job.ts';
import { followSearches, refreshSearches } from '../../../workers/searches/follow-searches.ts';
import { newCaller, posting, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { type Feature, ingestRoll, lot } from '../../support/ingest.ts';
import { newUser, visitor } from '../../support/visitor.ts';
import { ON_LOOPBACK, startReceiver, startTestDispatcher, webhooksOf } from '../../support/webhooks.ts';
import { eventually } from '../../support/workers.ts';

const SEARCHES = '/api/public/v1/searches/';
const db = await createTestDatabase({}, { regions: true });
const { pool, folder } = db;
const PLAT_DIR = mkdtempSync(join(tmpdir(), 'plat-searches-'));
const api = await startTestApi(db, { pages: true, env: { ...ON_LOOPBACK, PLAT_DIR } });
const config = loadConfig({ DATABASE_URL: db.url, LOG_LEVEL: 'silent', PLAT_DIR, APP_URL: api.url });
const log = createLogger(config, 'searches');
const { signal } = new AbortController();
const follow = () => followSearches({ db: pool, log, config, signal });

const ana = await newUser(db, { email: 'ana@acme.example', company: 'acme' });
const bob = await newUser(db, { email: 'bob@acme.example', company: 'acme' });
const { key } = await newCaller(db, { company: 'acme' });

type Search = { id: string; members: number | null; emails: string[]; notify: string };
type Note = {
  n: number;
  became: string;
  property_id: number;
  change: { type: string; fields: object } | null;
};
type Page = { results: Note[]; next_cursor: string; has_more: boolean };

const send = (path: string, body: object, method = 'POST') =>
  api.call(SEARCHES + path, { ...posting(key, JSON.stringify(body)), method });
async function save(filter: object, given: object = {}): Promise<Search> {
  const reply = await send('', { name: 'Lots', filter, ...given });
  if (reply.status !== 201) throw new Error(`${reply.status}: ${reply.text}`);
  return reply.json as Search;
}
const changes = async (id: string, query = '') => {
  const reply = await api.call(`${SEARCHES}${id}/changes/${query}`, { key });
  return { ...(reply.json as Page), tokens: Number(reply.headers.get('x-tokens-used')) };
};
const became = async (id: string, query = '') =>
  (await changes(id, query)).results.map(note => `${note.became} ${note.property_id % 1_000}`).sort();

const merge = (features: Feature[]) =>
  ingestRoll(pool, folder, 'roll', features, {
    force: true,
    columns: { apn: 'PIN', owner_name: 'OWNER', acres: 'ACRES', situs_address: 'SITUS' },
    gates: { max_key_drop_percent: 100, max_row_drop_percent: 100, empty_columns: false },
  });
const parcel = (n: number, more: Record<string, unknown> = {}): Feature => ({
  properties: {
    PIN: `P${n}`,
    OWNER: `OWNER ${n}`,
    ACRES: n % 2 === 0 ? 4 : 1.5,
    SITUS: `${n} Main St`,
    ...more,
  },
  geometry: lot(n),
});
const roll = Array.from({ length: 60 }, (_, n) => parcel(n));

const LARGE = { county: '33019', acres_min: 3 };
/** What a search has found is what its filter finds. */
async function expectExact(id: string, filter: object): Promise<void> {
  const { rows } = await pool.query(
    'select property_id from search_members where search_id = $1 order by 1',
    [id],
  );
  const page = await api.call(
    '/api/public/v1/properties/filter/?page_size=500',
    posting(key, JSON.stringify(filter)),
  );
  const { results } = page.json as { results: { property_id: number }[] };
  expect(rows.map(({ property_id }) => property_id)).toEqual(
    results.map(({ property_id }) => property_id).sort((a, b) => a - b),
  );
}

test('a search reports what a merge added, removed, and changed, and reads nothing else', async () => {
  const early = await save(LARGE);
  expect(early.members).toBeNull();
  await merge(roll);
  await follow();
  expect(await became(early.id, '?limit=500')).toHaveLength(30);
  await expectExact(early.id, LARGE);
  const { id, members } = await save(LARGE, { name: 'Large' });
  expect(members).toBe(30);
  const drawn = { geom_intersects: 'POLYGON((-73 43, -71 43, -71 44, -73 44, -73 43))', acres_min: 3 };
  const shape = await save(drawn);
  expect((await changes(id)).results).toEqual([]);

  const next = [...roll.slice(2), parcel(100)];
  next[0] = parcel(2, { OWNER: 'SOMEBODY ELSE' });
  next[1] = parcel(3, { ACRES: 5 });
  next[2] = parcel(4, { ACRES: 1.5 });
  next[3] = parcel(5, { OWNER: 'NOT FOUND ANYWAY' });
  await merge(next);
  await Promise.all([follow(), follow()]);
  await follow();
  const told = ['added 4', 'added 61', 'changed 3', 'removed 1', 'removed 5'];
  expect(await became(id)).toEqual(told);
  await expectExact(id, LARGE);
  await expectExact(shape.id, drawn);
  const { results, tokens, has_more, next_cursor } = await changes(id, '?limit=4');
  expect([tokens, has_more]).toEqual([1, true]);
  const { change } = results.find(note => note.became === 'changed')!;
  expect(change).toMatchObject({
    type: 'parcel.changed',
    fields: { owner_name: ['OWNER 2', 'SOMEBODY ELSE'] },
  });
  expect((await changes(id, `?cursor=${next_cursor}`)).results).toHaveLength(1);
  const same = await api.call(`/api/public/v1/changes/?search_id=${id}&types=parcel.changed`, { key });
  expect(
    (same.json as { results: { property_id: number }[] }).results.map(one => one.property_id % 1_000),
  ).toEqual([3, 4, 5]);
  const last = await changes(id, '?from=now');
  expect([last.results, last.tokens]).toEqual([[], 0]);

  // Nothing was noted of what land layers tell, and time goes on by itself.
  await pool.query(
    'update parcel_filters set effective_acres = 1 where fips = 33019 and property_id = 3301900000007',
  );
  await refreshSearches({ db: pool, log, signal });
  expect((await changes(id, `?cursor=${last.next_cursor}`)).results).toMatchObject([
    { became: 'removed', property_id: 3301900000007, change: null },
  ]);
  await pool.query(
    'update parcel_filters set effective_acres = 10 where fips = 33019 and property_id = 3301900000007',
  );
  await refreshSearches({ db: pool, log, signal });
  const small = { county: '33019', acres_max: 2 };
  expect((await send(`${id}/`, { filter: small }, 'PATCH')).status).toBe(200);
  await expectExact(id, small);
  expect(await became(id, `?cursor=${last.next_cursor}`)).toEqual(['added 7', 'removed 7']);

  // What it told is kept 400 days; what it finds stays, and so does where a reader was.
  const { results: kept } = await changes(id, '?limit=500');
  const age = (note: Note, days: number) =>
    pool.query("update search_changes set at = now() - $2 * interval '1 day' where n = $1", [note.n, days]);
  await age(kept[0]!, 401);
  await age(kept[1]!, 399);
  await expireRecords(pool, config);
  expect((await changes(id, '?limit=500')).results.map(({ n }) => n)).toEqual(
    kept.slice(1).map(({ n }) => n),
  );
  await expectExact(id, small);
  expect(await became(id, `?cursor=${last.next_cursor}`)).toEqual(['added 7', 'removed 7']);

  // The newest stays, however old, so that a cursor at it is known from one of before a restore.
  const at = (await changes(id, '?from=now')).next_cursor;
  await pool.query("update search_changes set at = now() - interval '402 days' where search_id = $1", [id]);
  await expireRecords(pool, config);
  expect(await changes(id, `?cursor=${at}`)).toMatchObject({ results: [], next_cursor: at });
  const lost = await api.call(`${SEARCHES}${id}/changes/?cursor=${Number(at) + 1}&limit=5`, { key });
  expect([lost.status, lost.headers.get('x-tokens-used'), lost.json]).toMatchObject([
    410,
    '0',
    {
      error: {
        code: 'not_found',
        details: { resync_from: [`${api.url}${SEARCHES}${id}/changes/?limit=5&from=now`] },
      },
    },
  ]);
  for (const one of [early, shape]) await api.call(`${SEARCHES}${one.id}/`, { key, method: 'DELETE' });
});

test('a search whose shape is no longer valid continues without it', async () => {
  const { id } = await save({ geom_intersects: 'POLYGON((-73 43, -71 43, -71 44, -73 44, -73 43))' });
  const teeth = Array.from({ length: 600 }, (_, n) => `-73 ${43 + n / 1_000}, -71 ${43 + (n + 0.5) / 1_000}`);
  const heavy = `POLYGON((${teeth.join(', ')}, -71 44, -73.5 44, -73 43))`;
  await pool.query(`update searches set filter = jsonb_set(filter, '{geom_intersects}', $2) where id = $1`, [
    id,
    JSON.stringify(heavy),
  ]);
  await merge([...roll, parcel(200)]);
  await follow();
  const { rows } = await pool.query('select id from searches where seq < (select max(seq) from changes)');
  expect(rows).toEqual([]);
  expect((await api.call(`${SEARCHES}${id}/`, { key, method: 'DELETE' })).status).toBe(204);
});

test('searches belong to their company, and errors name their field', async () => {
  const { id } = await save(LARGE);
  const { key: other } = await newCaller(db);
  for (const path of [`${id}/`, `${id}/changes/`])
    expect((await api.call(SEARCHES + path, { key: other })).status).toBe(404);
  const fault = async (body: object) => {
    const reply = await send('', { name: 'x', filter: LARGE, ...body });
    return [reply.status, Object.keys((reply.json as { error: { details: object } }).error.details ?? {})];
  };
  expect(await fault({ emails: ['eve@other.example'] })).toEqual([400, ['emails']]);
  expect(await fault({ webhook_id: id })).toEqual([400, ['webhook_id']]);
  expect(await fault({ filter: { acres_min: 1 } })).toEqual([400, ['filter.county']]);
  expect(
    await fault({ filter: { state: 'TX', counties: Array.from({ length: 30 }, (_, n) => 48_001 + 2 * n) } }),
  ).toEqual([400, ['filter']]);
  expect(await fault({ filter: { county: '33019', owner_parcel_id: 3301900000001 } })).toEqual([
    400,
    ['filter.owner_parcel_id'],
  ]);
  expect(await fault({ notify: 'weekly' })).toEqual([400, ['notify']]);
});

const mails = (): string[] => {
  const outbox = join(PLAT_DIR, 'outbox');
  return existsSync(outbox)
    ? readdirSync(outbox)
        .sort()
        .map(file => readFileSync(join(outbox, file), 'utf8'))
    : [];
};

test('one email per person for all searches, with an unsubscribe link that needs no sign-in; a webhook is notified', async () => {
  const { url, received } = await startReceiver();
  const { id: webhook_id } = await webhooksOf(api, key).add(url, { types: ['search.changed'] });
  const both = { emails: [ana.email, bob.email], notify: 'at_once' };
  const first = await save(LARGE, { name: 'First', ...both, webhook_id });
  await save(
    { county: '33019', owner_name_includes: ['zeta'] },
    { name: 'Second', ...both, emails: [ana.email] },
  );
  const daily = await save(LARGE, { name: 'Daily', emails: [bob.email], notify: 'daily' });
  const follows = await startReceiver();
  await webhooksOf(api, key).add(follows.url, { types: ['parcel.changed'], search_id: first.id });
  const dispatcher = startTestDispatcher(db, {}, api);
  await merge(roll.map((one, n) => (n === 8 ? parcel(8, { OWNER: 'ZETA LLC' }) : one)));
  await follow();
  await follow();
  const [toAna, toBob, ...more] = mails();
  expect(more).toEqual([]);
  expect(toAna).toMatch(/To: ana@.*\b2 saved searches.*First: .*Second: 1 /s);
  expect(toAna).toMatch(/- 8 Main St · APN \S+ · \S+ acres: .*\n {2}\S+\/data\?parcel=3301900000009/);
  expect(toBob).toMatch(/To: bob@.*Subject: First: .*- \d+ Main St · APN \S+ · \S+ acres: changed: /s);
  expect(toAna).not.toMatch(/ZETA|sign-in/);
  dispatcher.wake();
  await eventually(async () => received.length === 1);
  const { type, data } = received[0]!.message;
  expect([type, data]).toMatchObject(['search.changed', { search_id: first.id, seq: expect.any(Number) }]);
  const read = await api.call((data.read as string).slice(api.url.length), { key });
  const count = (data.added as number) + (data.removed as number) + (data.changed as number);
  expect((read.json as Page).results).toHaveLength(count);
  await eventually(async () => follows.received.length === 1);
  const { message } = follows.received[0]!;
  expect(message).toMatchObject({ type: 'parcel.changed', data: { search_id: first.id, fips: '33019' } });
  const narrow = (await api.call((message.data.read as string).slice(api.url.length), { key })).json as {
    results: object[];
  };
  expect(narrow.results).toHaveLength(message.data.changes as number);

  const [, path] = new RegExp(`${api.url}(/searches/unsubscribe/\\S+)`).exec(toBob!)!;
  const nobody = visitor(api);
  expect((await nobody.open(path!)).text).toContain('bob@acme.example');
  expect((await nobody.submit(path!, {})).text).toContain('“First”');
  expect((await nobody.open(path!)).status).toBe(404);
  expect((await api.call(`${SEARCHES}${first.id}/`, { key })).json).toMatchObject({ emails: [ana.email] });

  // The next day begins at midnight, not after 24 hours.
  await pool.query(
    "update search_readers set mailed_at = date_trunc('day', now()) - interval '1 second' where search_id = $1",
    [daily.id],
  );
  const stranger = await newCaller(db);
  const move = (companyId: string) =>
    pool.query('update users set company_id = $2 where id = $1', [bob.id, companyId]);
  const { rows } = await pool.query('select company_id from users where id = $1', [bob.id]);
  await move(
    (await pool.query('select company_id from accounts where id = $1', [stranger.accountId])).rows[0]
      .company_id,
  );
  await follow();
  expect(mails()).toHaveLength(2);
  await move(rows[0].company_id);
  await follow();
  expect(mails()[2]).toMatch(/To: bob@.*Subject: Daily: /s);
  expect(mails()).toHaveLength(3);
  // A program for mail ends them all by itself, from nowhere and without a cookie (RFC 8058).
  const [, button] = new RegExp(`List-Unsubscribe: <${api.url}(\\S+)>`).exec(toAna!)!;
  expect(toAna).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click\n');
  const pressed = await fetch(api.url + button, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  });
  expect([pressed.status, pressed.headers.get('set-cookie')]).toEqual([200, null]);
  const left = (await api.call(SEARCHES, { key })).json as Search[];
  expect(left.flatMap(({ emails }) => emails)).toEqual([bob.email]);
  expect((await usageOf(db, ana.accountId)).tokens).toBe(0);
});

test('the page saves a search, shows what is new since the last visit, and emails whoever asks for it', async () => {
  const visit = visitor(api);
  await visit.signIn(ana);
  expect((await visit.open('/data?county=33019&acres_min=3')).text).toContain(
    'href="/searches?county=33019&amp;acres_min=3"',
  );
  const form = (await visit.open('/searches?county=33019&acres_min=3')).text;
  expect(form).toMatch(/value="Sullivan[^"]*at least 3/);
  const filter = /name="filter" value="([^"]*)"/.exec(form)![1]!.replaceAll('&quot;', '"');
  const saved = await visit.submit('/searches', { name: 'Mine', filter, notify: 'daily' });
  const path = new URL(saved.headers.get('location')!, api.url).pathname;
  expect((await visit.open(path)).text).toMatch(/ana@acme\.example/);
  await merge(roll.map((one, n) => (n === 10 ? parcel(10, { OWNER: 'IOTA' }) : one)));
  await follow();
  const bar = />(\d+) new<\/a>/;
  const unseen = Number(bar.exec((await visit.open('/markets')).text)![1]);
  expect((await visit.open('/searches')).text).toMatch(/Mine.*\d+ new/s);
  const seen = (await visit.open(path)).text;
  expect(seen).toMatch(/10 Main St.*new.*APN P10 · 4 acres.*changed<small[^>]*>Owner: Owner 10 → Iota</s);
  expect(Number(bar.exec(seen)?.[1] ?? 0)).toBe(unseen - 1);
  expect((await visit.open('/searches')).text).not.toMatch(/>Mine<\/a><\/td>(?:(?!<\/tr>).)*new/s);
  const changed = await visit.submit(path, { do: 'change', name: 'Ours', notify: 'none' });
  expect([changed.status, changed.text]).toEqual([200, expect.stringContaining('Ours')]);
  expect((await api.call(`${SEARCHES}${path.slice(-36)}/`, { key })).json).toMatchObject({
    name: 'Ours',
    notify: 'none',
    emails: [],
  });
  expect((await visit.submit(path, { do: 'delete' })).headers.get('location')).toBe('/searches');
  expect((await visit.open(path)).status).toBe(404);
});
