import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { stringify } from 'yaml';
import type { CallContext } from '../../api/http/endpoint.ts';
import { listChanges } from '../../api/v1/changes/list-changes.ts';
import type { Resources } from '../../api/v1/common/endpoint-resources.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { runFeed } from '../../workers/ingest/ingest-feed.ts';
import { parseFeed } from '../../workers/ingest/load-feeds.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, median, timed, withBenchDatabase } from './bench.ts';
import { rollFeed } from './generate/feed-files.ts';
import { ROLL_COLUMNS, writeRoll } from './generate/roll.ts';

const PAGE = 500;
const SIZES = {
  full: { kept: Number(process.env.CHANGES_KEPT ?? 10_000_000), parcels: 200_000, rounds: 100, runs: 3 },
  quick: { kept: 20_000, parcels: 2_000, rounds: 3, runs: 1 },
};
const COUNTIES = [33_019, 33_005, 23_019, 55_025, 36_001];
/** Number of changes that one transaction makes in one county. */
const MERGE = 10_000;
const MAX_PAGE = 1.5;
const MAX_INGEST = 1.1;
/** The limit when every row changes. */
const MAX_CHANGED = 1.3;

/**
 * Reads a page of changes when many are stored, without going through the HTTP endpoint, and compares it with
 * reading the same rows by key. Also compares an ingestion with the same ingestion minus the time of the
 * statements that record changes. CHANGES_KEPT replaces the default of 10,000,000 stored changes.
 */
export async function bench(options: BenchOptions): Promise<BenchResult[]> {
  const sizes = options.quick ? SIZES.quick : SIZES.full;
  const pages = await withBenchDatabase(options, async (_url, pool) => {
    options.note(`  writing ${sizes.kept} changes`);
    await insertChanges(pool, sizes.kept);
    return [await comparePage(pool, {}, sizes), await comparePage(pool, { fips: '33019' }, sizes)];
  });
  return [...pages, ...(await compareIngest(options, sizes))];
}

async function insertChanges(pool: TestDb, kept: number): Promise<void> {
  const { rows } = await pool.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid = 'changes'::regclass and not indisprimary`,
  );
  for (const { name } of rows) await pool.query(`drop index ${name}`);
  await pool.query(
    `insert into changes (at, type, run_id, fips, property_id, fields)
     select
       now() - interval '300 days' + n * interval '1 second',
       case n % 50 when 0 then 'parcel.new' when 1 then 'parcel.retired' else 'parcel.changed' end,
       n / $3, c.fips, c.fips * 100000000::bigint + hashint8(n)::bigint % 100000 + 100000,
       jsonb_build_object(
         'owner_name', jsonb_build_array('OWNER ' || n, 'NEXT OWNER ' || n),
         'mail_address', jsonb_build_array(n || ' MAIN ST', n || ' ELM ST'),
         'assessed_total_value', jsonb_build_array(n, n + 1000)
       )
     from generate_series(1, $1::int) n
     cross join lateral (select ($2::int[])[1 + n / $3 % cardinality($2)] as fips) c`,
    [kept, COUNTIES, MERGE],
  );
  for (const { definition } of rows) await pool.query(definition);
  await pool.query('vacuum analyze changes');
  await pool.query(
    "insert into regions (id, type, code, name, state, county_name, fips) values (gen_random_uuid(), 'county', '33019', 'Sullivan', 'NH', 'Sullivan', 33019)",
  );
}

type Sizes = typeof SIZES.full;
type Change = { seq: number };
type Page = { results: Change[]; next_cursor: string };

async function comparePage(pool: TestDb, query: { fips?: string }, sizes: Sizes): Promise<BenchResult> {
  const resources = { db: pool.forApi(), cursorSecret: async () => Buffer.alloc(32) };
  const url = new URL('http://localhost/');
  const call = { url, apiUrl: url.origin, appUrl: url.origin, now: new Date() } as CallContext;
  const read = async (cursor?: string): Promise<Page> => {
    const given = { ...query, limit: String(PAGE), ...(cursor !== undefined && { cursor }) };
    const input = { params: {}, query: listChanges.query.parse(given), body: undefined };
    const { body } = await listChanges.handle(input, resources as unknown as Resources, call);
    JSON.stringify(body);
    return body as Page;
  };
  const byKeys = async (keys: number[]) => {
    const { rows } = await pool.query({
      name: 'changes by key',
      text: 'select seq, type, at, run_id, fips, property_id, listing_id, zip, fields from changes where seq = any ($1::bigint[]) order by seq',
      values: [keys],
    });
    JSON.stringify(rows);
    if (rows.length !== PAGE) throw new Error(`The reference finds ${rows.length} of ${PAGE}.`);
  };
  const times = { page: [] as number[], keys: [] as number[] };
  let cursor: string | undefined;
  for (let round = -10; round < sizes.rounds; round++) {
    const before = cursor;
    let page = await read(before);
    const keys = page.results.map(({ seq }) => seq);
    // By now, both read from memory.
    const keysMs = await timed(() => byKeys(keys));
    const pageMs = await timed(async () => {
      page = await read(before);
    });
    cursor = page.next_cursor;
    if (round < 0) continue;
    times.page.push(pageMs);
    times.keys.push(keysMs);
  }
  const [page, keys] = [median(times.page), median(times.keys)];
  return judged(
    {
      name: `a page of ${PAGE} changes ${query.fips === undefined ? 'of all counties' : 'of a county'}, ${sizes.kept.toLocaleString('en-US')} kept`,
      reference: 'select of the same rows by primary key',
      value: page / keys,
      unit: 'x',
      details: {
        'ms, median': page.toFixed(2),
        'reference ms, median': keys.toFixed(2),
        rounds: sizes.rounds,
      },
    },
    { most: MAX_PAGE },
  );
}

/**
 * Measures the statements that record changes while `work` runs. Such statements are recognized by the table
 * name in their text.
 */
async function recording(work: () => Promise<unknown>): Promise<{ ms: number; recordMs: number }> {
  const { query } = pg.Client.prototype;
  let recordMs = 0;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [first] = args as [string | { text: string }];
    const text = typeof first === 'string' ? first : first.text;
    const begun = performance.now();
    const answer = (query as (...all: unknown[]) => unknown).apply(this, args);
    if (answer instanceof Promise && text?.includes('pending_changes'))
      return answer.finally(() => {
        recordMs += performance.now() - begun;
      });
    return answer;
  } as typeof query;
  try {
    const ms = await timed(work);
    return { ms, recordMs };
  } finally {
    pg.Client.prototype.query = query;
  }
}

async function compareIngest(options: BenchOptions, { parcels, runs }: Sizes): Promise<BenchResult[]> {
  const roll = join(options.folder, 'changes-roll.ndgeojson');
  options.note(`  generating a roll of ${parcels} parcels`);
  await writeRoll(roll, { parcels, seed: 1 });
  const feed = parseFeed(stringify(rollFeed('bench-roll', roll)), join(options.folder, 'changes-feed.yaml'));
  const first = readFileSync(roll);
  const times: Record<'first' | 'unchanged' | 'changed', { ms: number; recordMs: number }[]> = {
    first: [],
    unchanged: [],
    changed: [],
  };
  for (let run = 0; run < runs; run++) {
    writeFileSync(roll, first);
    await withBenchDatabase(options, async (_url, pool) => {
      const deps = {
        db: pool,
        log: createLogger({ LOG_LEVEL: 'warn' }, 'bench'),
        signal: new AbortController().signal,
        env: process.env,
        progress() {},
      };
      const ingest = async (name: keyof typeof times, status: string, changes: number) => {
        await pool.query('checkpoint');
        times[name].push(
          await recording(async () => {
            const result = await runFeed(deps, {
              feed,
              jobId: null,
              requestedBy: 'bench',
              force: true,
              sources: {},
            });
            if (result.status !== status)
              throw new Error(`The run ended as ${result.status}, not ${status}.`);
          }),
        );
        const { rows } = await pool.query<{ kept: number }>('select count(*)::int as kept from changes');
        if (rows[0]!.kept !== changes)
          throw new Error(`${rows[0]!.kept} changes were recorded instead of ${changes}.`);
      };
      await ingest('first', 'merged', 1);
      await ingest('unchanged', 'unchanged', 1);
      const owner = new RegExp(`"${ROLL_COLUMNS.owner_name}":"`, 'g');
      writeFileSync(roll, first.toString().replaceAll(owner, '$&X'));
      await ingest('changed', 'merged', 1 + parcels);
    });
  }
  const result = (name: keyof typeof times, what: string, most: number): BenchResult => {
    const ms = median(times[name].map(time => time.ms));
    const recordMs = median(times[name].map(time => time.recordMs));
    return judged(
      {
        name: `${what} of ${parcels.toLocaleString('en-US')} parcels`,
        reference: 'the same less the time of the statements that record changes',
        value: ms / (ms - recordMs),
        unit: 'x',
        details: { 'ms, median': Math.round(ms), 'of it recording': Math.round(recordMs), runs },
      },
      { most },
    );
  };
  return [
    result('first', 'first ingest', MAX_INGEST),
    result('unchanged', 'ingest of the unchanged roll', MAX_INGEST),
    result('changed', 'ingest of a roll with another owner of every parcel', MAX_CHANGED),
  ];
}
