import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { loadConfig } from '../../shared/platform/config.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { followSearches } from '../../workers/searches/follow-searches.ts';
import { newCaller } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { ingestRoll, lot } from '../support/ingest.ts';
import { startProgram } from '../support/programs.ts';
import { eventually } from '../support/workers.ts';

const db = await createTestDatabase({}, { regions: true });
const { pool, folder } = db;
const config = loadConfig({ DATABASE_URL: db.url, LOG_LEVEL: 'silent', HOST: '0.0.0.0' });
const { signal } = new AbortController();
const follow = () => followSearches({ db: pool, log: createLogger(config, 'searches'), config, signal });
/** Kills at random moments; a long run sets 20. */
const KILLS = Number(process.env.KILLS ?? 1);

/** Acres of 40 lots: another merge has other ones, and some are gone. */
const merge = (acres: (n: number) => number, from = 0) =>
  ingestRoll(
    pool,
    folder,
    'roll',
    Array.from({ length: 40 - from }, (_, i) => ({
      properties: { PIN: `P${i + from}`, ACRES: acres(i + from) },
      geometry: lot(i + from),
    })),
    {
      force: true,
      columns: { acres: 'ACRES' },
      gates: { max_key_drop_percent: 100, max_row_drop_percent: 100, empty_columns: false },
    },
  );

/** All that following has done, without numbers that were given out on the way. */
async function outcome() {
  const { rows } = await pool.query(
    `select s.name, s.seq,
       (select json_agg(property_id order by property_id) from search_members where search_id = s.id) as members,
       (select json_agg(json_build_array(property_id, became, seq) order by seq) from search_changes where search_id = s.id) as notes,
       (select json_agg(json_build_array(type, seq, data - 'after') order by type, seq) from webhook_messages
        where data ->> 'search_id' = s.id::text) as messages
     from searches s order by s.name`,
  );
  return rows;
}

/**
 * Follows in a process of its own. Of one that was killed the server still does the last statement, and holds
 * its lock meanwhile: until then nobody else follows. @returns the signal that ended it
 */
async function followAndDie(order: { dieAt?: number }, killAfterMs?: number): Promise<unknown> {
  const child = startProgram(
    'test/support/dispatcher-child.ts',
    { DATABASE_URL: db.url, LOG_LEVEL: 'error', HOST: '0.0.0.0' },
    { args: [JSON.stringify({ follow: true, ...order })], stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exit = once(child, 'exit');
  if (killAfterMs !== undefined) {
    await once(child.stdout!, 'data');
    await sleep(killAfterMs);
    child.kill('SIGKILL');
  }
  const [, ended] = await exit;
  await eventually(async () => {
    const { rowCount } = await pool.query(
      "select from pg_stat_activity where datname = current_database() and application_name = 'dispatcher child'",
    );
    return rowCount === 0;
  });
  return ended;
}

test('searches find the same changes with kill -9 and two processes at once as undisturbed', async () => {
  const { accountId } = await newCaller(db);
  await pool.query(
    `with hook as (
       insert into webhooks (account_id, url, types) values ($1, 'https://example.com', '{search.changed}') returning id
     )
     insert into searches (company_id, account_id, name, filter, counties, notify, webhook_id, seq)
     select a.company_id, a.id, 'from ' || n, jsonb_build_object('county', '33019', 'acres_min', n), '{33019}', 'none', hook.id, 0
     from accounts a, hook, generate_series(1, 6) n where a.id = $1`,
    [accountId],
  );
  await pool.query(
    `insert into webhooks (account_id, url, types, search_id)
     select account_id, 'https://example.com', '{parcel.changed,search.changed}', id from searches where name = 'from 3'`,
  );
  await merge(n => n % 8);
  await follow();
  await pool.query(
    'truncate webhook_messages, search_changes cascade; create table had as select * from search_members; create table at_seq as select id, seq from searches',
  );
  await merge(n => (n + (n % 3)) % 8, 4);
  await follow();
  const undisturbed = await outcome();
  expect(undisturbed[2].messages).toHaveLength(3);
  expect(undisturbed.flatMap(({ notes }) => notes.map(([, became]: string[]) => became))).toEqual(
    expect.arrayContaining(['added', 'removed', 'changed']),
  );

  const again = () =>
    pool.query(
      `truncate webhook_messages, search_changes, search_members cascade; insert into search_members select * from had;
       update searches s set seq = a.seq from at_seq a where a.id = s.id`,
    );
  await again();
  // Four statements find out what changed, then two or three look at a search and two write it down.
  await Promise.all([followAndDie({ dieAt: 4 }), followAndDie({ dieAt: 9 })]);
  await Promise.all([followAndDie({ dieAt: 11 }), followAndDie({ dieAt: 16 })]);
  await Promise.all([follow(), followAndDie({})]);
  await follow();
  expect(await outcome()).toEqual(undisturbed);

  for (let kill = 0; kill < KILLS; kill++) {
    await again();
    for (let once = 0; once < 2; once++) await followAndDie({}, Math.random() * 150);
    await follow();
    expect(await outcome()).toEqual(undisturbed);
  }
});
