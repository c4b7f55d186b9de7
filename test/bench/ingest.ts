import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { stringify } from 'yaml';
import { loadConfig } from '../../shared/config.ts';
import { createPool, type Pool } from '../../shared/db.ts';
import { PlatError } from '../../shared/errors.ts';
import { createLogger } from '../../shared/log.ts';
import type { Feed } from '../../workers/feeds/feed.ts';
import { parseFeed } from '../../workers/feeds/load.ts';
import { type RunResult, runFeed } from '../../workers/ingest/run.ts';
import { type BenchOptions, type BenchResult, judged, median, timed, withBenchDatabase } from './bench.ts';
import { rollFeed } from './generate/feed-files.ts';
import { writeRoll } from './generate/roll.ts';

const PARCELS = 200_000;
const QUICK_PARCELS = 3_000;
const ROUNDS = 3;
const MAX_FIRST = 3;
const MAX_AGAIN = 2;

type Timed = { ms: number; steps: string };
type Round = { first: Timed; copyMs: number; again: Timed };

/**
 * First ingest of a roll, and ingest of the same roll again, against COPY of the finished rows into an empty table with
 * the columns and indexes of `parcels`. Every round has a database of its own and does all three in turn, each after a
 * checkpoint; medians count.
 */
export async function bench(options: BenchOptions): Promise<BenchResult[]> {
  const parcels = options.quick ? QUICK_PARCELS : PARCELS;
  const roll = join(options.folder, 'roll.ndgeojson');
  const rows = join(options.folder, 'parcels.copy');
  options.note(`  generating a roll of ${parcels} parcels`);
  await writeRoll(roll, 'ndgeojson', { parcels, seed: 1 });
  const feed = parseFeed(stringify(rollFeed('bench-roll', roll)), join(options.folder, 'feed.yaml'));

  const rounds: Round[] = [];
  for (let round = 1; round <= (options.quick ? 1 : ROUNDS); round++) {
    const times = await withBenchDatabase(options, url => measure(url, feed, rows, parcels));
    const { first, copyMs, again } = times;
    options.note(
      `  round ${round}: first ${Math.round(first.ms)} ms (${first.steps}), COPY ${Math.round(copyMs)} ms, again ${Math.round(again.ms)} ms (${again.steps})`,
    );
    rounds.push(times);
  }
  return results(rounds, parcels, { rollBytes: statSync(roll).size, copyBytes: statSync(rows).size });
}

async function measure(url: string, feed: Feed, rowsFile: string, parcels: number): Promise<Round> {
  const config = loadConfig({ DATABASE_URL: url, LOG_LEVEL: 'warn' });
  const pool = createPool(config, createLogger(config, 'bench'), { applicationName: 'plat bench' });
  try {
    const first = await ingest(pool, feed);
    expectRun(first.result, 'merged', 'new', parcels);
    await exportParcels(pool, rowsFile);
    const copyMs = await copyParcels(pool, rowsFile, parcels);
    const again = await ingest(pool, feed);
    expectRun(again.result, 'unchanged', 'unchanged', parcels);
    return { first, copyMs, again };
  } finally {
    await pool.end();
  }
}

async function ingest(pool: Pool, feed: Feed): Promise<Timed & { result: RunResult }> {
  const log = createLogger({ LOG_LEVEL: 'warn' }, 'bench');
  await pool.query('checkpoint');
  const begins: [step: string, at: number][] = [];
  const onStep = (step: string) => void begins.push([step, performance.now()]);
  const deps = { pool, log, signal: new AbortController().signal, env: process.env, progress() {}, onStep };
  const options = { feed, jobId: null, requestedBy: 'bench', force: false, sources: {} };
  let result: RunResult | undefined;
  const ms = await timed(async () => {
    result = await runFeed(deps, options);
  });
  const steps = begins.map(([step, at], i) => {
    const next = begins[i + 1]?.[1];
    return next === undefined ? '' : `${step} ${Math.round(next - at)}`;
  });
  return { result: result!, ms, steps: steps.filter(step => step !== '').join(' ') };
}

/** A fast run that did not do the work is no figure. */
function expectRun(
  { status, counts, blocked }: RunResult,
  expected: string,
  count: 'new' | 'unchanged',
  parcels: number,
): void {
  if (status === expected && counts[count] === parcels) return;
  const found = JSON.stringify({ status, counts, blocked });
  throw new PlatError(
    'bench',
    `The run should have ended as ${expected} with ${parcels} ${count} parcels, but: ${found}`,
  );
}

/** Every stored column: all but those that the server generates. */
async function storedColumns(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as columns
     from pg_attribute where attrelid = 'parcels'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
  );
  return rows[0]!.columns;
}

async function exportParcels(pool: Pool, file: string): Promise<void> {
  const columns = await storedColumns(pool);
  const client = await pool.connect();
  try {
    const stream = client.query(
      copyTo(`copy (select ${columns} from parcels order by property_id) to stdout`),
    );
    await pipeline(stream, createWriteStream(file));
  } finally {
    client.release();
  }
}

/** The reference. The table is made in a transaction of its own, so that COPY writes its rows to the log like any other. */
async function copyParcels(pool: Pool, file: string, parcels: number): Promise<number> {
  const columns = await storedColumns(pool);
  await pool.query('create table bench_parcels (like parcels including all)');
  await expectSameIndexes(pool);
  await pool.query('checkpoint');
  const client = await pool.connect();
  try {
    const ms = await timed(() =>
      pipeline(
        createReadStream(file, { highWaterMark: 1 << 18 }),
        client.query(copyFrom(`copy bench_parcels (${columns}) from stdin`)),
      ),
    );
    const { rows } = await client.query<{ count: number }>('select count(*)::int from bench_parcels');
    if (rows[0]!.count !== parcels)
      throw new PlatError('bench', `COPY wrote ${rows[0]!.count} of ${parcels} rows.`);
    return ms;
  } finally {
    client.release();
  }
}

async function expectSameIndexes(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ table: string; indexes: number }>(
    `select indrelid::regclass::text as table, count(*)::int as indexes from pg_index
     where indrelid in ('parcels'::regclass, 'bench_parcels'::regclass) group by 1`,
  );
  const counts = new Set(rows.map(row => row.indexes));
  if (rows.length !== 2 || counts.size !== 1) {
    throw new PlatError(
      'bench',
      `The reference table has other indexes than parcels: ${JSON.stringify(rows)}.`,
    );
  }
}

function results(
  rounds: Round[],
  parcels: number,
  sizes: { rollBytes: number; copyBytes: number },
): BenchResult[] {
  const copyMs = median(rounds.map(round => round.copyMs));
  const reference = 'COPY of the finished rows into a table with the same columns and indexes';
  const figure = (name: string, runs: Timed[], most: number): BenchResult => {
    const ms = median(runs.map(run => run.ms));
    const details = {
      'ms, median': Math.round(ms),
      'ms, each': runs.map(run => Math.round(run.ms)).join(' '),
      'ms by step, last round': runs.at(-1)!.steps,
      'COPY ms, median': Math.round(copyMs),
      'COPY ms, each': rounds.map(round => Math.round(round.copyMs)).join(' '),
      'parcels a second': Math.round((1000 * parcels) / ms),
      'roll, MB': Math.round(sizes.rollBytes / 1e6),
      'COPY data, MB': Math.round(sizes.copyBytes / 1e6),
    };
    return judged({ name, reference, value: ms / copyMs, unit: 'x', details }, { most });
  };
  const what = `${parcels.toLocaleString('en-US')} parcels from newline-delimited GeoJSON`;
  return [
    figure(
      `first ingest of ${what}`,
      rounds.map(round => round.first),
      MAX_FIRST,
    ),
    figure(
      `re-ingest of the unchanged roll of ${what}`,
      rounds.map(round => round.again),
      MAX_AGAIN,
    ),
  ];
}
