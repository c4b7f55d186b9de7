import { expect, test } from 'vitest';
import { packStats, unpackStats } from '../../shared/model/stats-codec.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });
const user = await newUser(db, { company: 'acme' });
const [ana, bob] = [visitor(api), visitor(api)];
await ana.signIn(user);
await bob.signIn(await newUser(db, { company: 'acme' }));

const PATH = '/markets/33019';

/** What a page says has changed. Undefined if the page doesn't compare visits. */
async function changesOn(browser: typeof ana, path: string) {
  const { status, text } = await browser.open(path);
  expect(status).toBe(200);
  const part = text.match(/<div class="since".*?<\/div>/s)?.[0];
  return part && [...part.matchAll(/data-key="[^"]+">([^<]+)/g)].map(([, words]) => words);
}

/** Lets hours pass since the user's last page. */
const leave = (hours: number) =>
  db.pool.query('update market_views set seen_at = seen_at - make_interval(hours => $2) where user_id = $1', [
    user.id,
    hours,
  ]);

async function listMore(lots: number): Promise<void> {
  const { rows } = await db.pool.query<{ figures: Buffer }>(
    "select figures from region_stats where type = 'county' and code = '33019'",
  );
  const { asOf, buckets } = unpackStats(rows[0]!.figures, '2025-09-28');
  const more = buckets.map(
    bucket => bucket && { ...bucket, data: { ...bucket.data, Active: bucket.data.Active! + lots } },
  );
  await db.pool.query("update region_stats set figures = $1 where type = 'county' and code = '33019'", [
    packStats({ asOf, buckets: more }),
  ]);
}

test('a saved market shows each user what has changed since their previous visit', async () => {
  const { rows } = await db.pool.query<{ id: string }>(
    "select id from regions where type = 'county' and code = '33019'",
  );
  await ana.open(PATH);
  expect((await db.pool.query('select from market_views')).rowCount).toBe(0);
  await ana.submit(PATH, { region_id: rows[0]!.id, status: '' });
  for (const one of [ana, bob]) expect(await changesOn(one, PATH)).toBeUndefined();
  await leave(24);
  expect(await changesOn(ana, PATH)).toEqual([]);

  await leave(1);
  await listMore(3);
  // The rest of the visit shows it too.
  for (const page of [PATH, PATH, '/markets'])
    expect(await changesOn(ana, page)).toEqual(['For sale 38 → 41']);
  expect(await changesOn(ana, `${PATH}?bucket=2+acre-5+acre`)).toEqual(['For sale 7 → 10']);
  expect(await changesOn(bob, PATH)).toBeUndefined();
  // A change during the visit adds to it.
  await listMore(2);
  expect(await changesOn(ana, '/markets')).toEqual(['For sale 38 → 43']);
  expect(await changesOn(ana, '/markets?metric=population')).toEqual(['For sale 38 → 43']);
  await leave(1);
  expect(await changesOn(ana, PATH)).toEqual([]);

  const { rows: saved } = await db.pool.query<{ id: string }>('select id from saved_markets');
  await ana.submit('/markets', { do: 'remove', id: saved[0]!.id });
  expect(await changesOn(ana, PATH)).toBeUndefined();
  expect((await db.pool.query('select from market_views')).rowCount).toBe(0);
});
