import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { stringify } from 'yaml';
import { PlatError } from '../../shared/platform/errors.ts';
import { createLogger } from '../../shared/platform/log.ts';
import type { Feed } from '../../workers/ingest/all-kinds.ts';
import type { RunResult } from '../../workers/ingest/engine/locked-run.ts';
import { runFeed } from '../../workers/ingest/ingest-feed.ts';
import { parseFeed } from '../../workers/ingest/load-feeds.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, median, timed, withBenchDatabase } from './bench.ts';
import { copyRows, exportRows } from './copy-reference.ts';
import { rollFeed } from './generate/feed-files.ts';
import { writeRoll } from './generate/roll.ts';

const PARCELS = 200_000;
const QUICK_PARCELS = 3_000;
const ROUNDS = 3;
const MAX_FIRST = 2.2;
const MAX_AGAIN = 2;
const MAX_OGR = 0.9;

const OGR_TABLES = 'plat_bench_roll, plat_bench_parcels, plat_bench_filters';

type Timed = { ms: number; steps: string };
type Round = { first: Timed; copyMs: number; copyBytes: number; again: Timed; ogr: OgrTimes | undefined };
/** Times for the import alone, and for the import with the derived tables. */
type OgrTimes = { importMs: number; tablesMs: number };

/**
 * Ingests a roll for the first time and then again. The reference is COPY of the finished rows into an empty
 * table with the columns and indexes of `parcels`, and the same for the parcel_filters rows. Every round has
 * its own database and does all three in turn, each after a checkpoint. The results are medians. With
 * POSTGIS_URL, also compared with ogr2ogr into that server plus SQL that builds the same tables.
 */
export async function bench(options: BenchOptions): Promise<BenchResult[]> {
  const parcels = options.quick ? QUICK_PARCELS : PARCELS;
  const roll = join(options.folder, 'roll.ndgeojson');
  options.note(`  generating a roll of ${parcels} parcels`);
  await writeRoll(roll, { parcels, seed: 1 });
  const feed = parseFeed(stringify(rollFeed('bench-roll', roll)), join(options.folder, 'feed.yaml'));

  const rounds: Round[] = [];
  for (let round = 1; round <= (options.quick ? 1 : ROUNDS); round++) {
    const times = await withBenchDatabase(options, (_url, pool) =>
      measure(pool, feed, options.folder, parcels),
    );
    const { first, copyMs, again } = times;
    const ogr = process.env.POSTGIS_URL
      ? await importByOgr(process.env.POSTGIS_URL, roll, parcels)
      : undefined;
    options.note(
      `  round ${round}: first ${Math.round(first.ms)} ms (${first.steps}), COPY ${Math.round(copyMs)} ms, again ${Math.round(again.ms)} ms (${again.steps})${ogr === undefined ? '' : `, ogr2ogr ${Math.round(ogr.importMs)} ms, with the same tables ${Math.round(ogr.tablesMs)} ms`}`,
    );
    rounds.push({ ...times, ogr });
  }
  return results(rounds, parcels, statSync(roll).size);
}

async function measure(
  pool: TestDb,
  feed: Feed,
  folder: string,
  parcels: number,
): Promise<Omit<Round, 'ogr'>> {
  const first = await ingest(pool, feed);
  expectRun(first.result, 'merged', 'new', parcels);
  const copyBytes = await exportRows(pool, folder);
  const copyMs = await copyRows(pool, folder, parcels);
  const again = await ingest(pool, feed);
  expectRun(again.result, 'unchanged', 'unchanged', parcels);
  return { first, copyMs, copyBytes, again };
}

/**
 * The usual alternative: GDAL loads the file into PostGIS, then SQL builds the tables that an ingestion
 * writes.
 */
async function importByOgr(url: string, roll: string, parcels: number): Promise<OgrTimes> {
  const statements = readFileSync(join(import.meta.dirname, 'sql', 'same_tables.sql'), 'utf8');
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(
      `create extension if not exists postgis; create extension if not exists pg_trgm; drop table if exists ${OGR_TABLES}`,
    );
    await client.query('checkpoint');
    const target = [
      '-f',
      'PostgreSQL',
      `PG:${url}`,
      '-nln',
      'plat_bench_roll',
      '--config',
      'PG_USE_COPY',
      'YES',
    ];
    const importMs = await timed(() => promisify(execFile)('ogr2ogr', [...target, `GeoJSONSeq:${roll}`]));
    const sqlMs = await timed(() => client.query(statements));
    const { rowCount } = await client.query(
      `select from plat_bench_parcels join plat_bench_filters f using (fips, property_id)
       where calculated_acres > 0 and f.location is not null`,
    );
    if (rowCount !== parcels)
      throw new PlatError('bench', `ogr2ogr brought ${rowCount} of ${parcels} parcels.`);
    return { importMs, tablesMs: importMs + sqlMs };
  } finally {
    await client.query(`drop table if exists ${OGR_TABLES}`);
    await client.end();
  }
}

async function ingest(pool: TestDb, feed: Feed): Promise<Timed & { result: RunResult }> {
  const log = createLogger({ LOG_LEVEL: 'warn' }, 'bench');
  await pool.query('checkpoint');
  const begins: [step: string, at: number][] = [];
  const onStep = (step: string) => void begins.push([step, performance.now()]);
  const deps = {
    db: pool,
    log,
    signal: new AbortController().signal,
    env: process.env,
    progress() {},
    onStep,
  };
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

/** Rejects a fast run that did not do the work. */
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

function results(rounds: Round[], parcels: number, rollBytes: number): BenchResult[] {
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
      'roll, MB': Math.round(rollBytes / 1e6),
      'COPY data, MB': Math.round(rounds[0]!.copyBytes / 1e6),
    };
    return judged({ name, reference, value: ms / copyMs, unit: 'x', details }, { most });
  };
  const what = `${parcels.toLocaleString('en-US')} parcels from newline-delimited GeoJSON`;
  const firstMs = median(rounds.map(round => round.first.ms));
  const ogr = rounds.flatMap(round => round.ogr ?? []);
  const importMs = ogr.map(({ importMs }) => importMs);
  const tablesMs = ogr.map(({ tablesMs }) => tablesMs);
  const byOgr = {
    name: `first ingest of ${what}`,
    reference: 'ogr2ogr into PostGIS, then SQL that makes the same tables (test/bench/sql/same_tables.sql)',
    value: firstMs / median(tablesMs),
    unit: 'x' as const,
    details: {
      'ogr2ogr and SQL ms, each': tablesMs.map(Math.round).join(' '),
      'ogr2ogr alone ms, each': importMs.map(Math.round).join(' '),
      'of ogr2ogr alone, x': (firstMs / median(importMs)).toFixed(2),
    },
  };
  return [
    ...(ogr.length > 0 ? [judged(byOgr, { most: MAX_OGR })] : []),
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
