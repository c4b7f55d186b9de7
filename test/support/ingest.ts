import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Geometry } from 'geojson';
import type pg from 'pg';
import { pino } from 'pino';
import { stringify } from 'yaml';
import type { Polygon } from '../../shared/geo/geometry-types.ts';
import { uuidV5 } from '../../shared/model/uuid.ts';
import type { Feed } from '../../workers/ingest/all-kinds.ts';
import type { RunResult } from '../../workers/ingest/engine/locked-run.ts';
import type { RunDeps } from '../../workers/ingest/engine/run-context.ts';
import { type RunOptions, runFeed } from '../../workers/ingest/ingest-feed.ts';
import { undoRun } from '../../workers/ingest/kinds/assessor/undo-run.ts';
import { parseFeed } from '../../workers/ingest/load-feeds.ts';
import { boxRing } from './parcels.ts';
import type { TestDb } from './test-db.ts';

/** Runs a feed as a worker would. */
export function ingest(
  pool: TestDb,
  feed: Feed,
  options: Partial<RunOptions> = {},
  deps: Partial<RunDeps> = {},
): Promise<RunResult> {
  const log = pino({ level: 'silent' });
  const signal = new AbortController().signal;
  return runFeed(
    { db: pool, log, signal, env: {}, progress() {}, ...deps },
    { feed, jobId: null, requestedBy: 'test', force: false, sources: {}, ...options },
  );
}

/** Undoes a run as a worker would. */
export function undo(pool: TestDb, run: number, deps: Partial<RunDeps> = {}): Promise<RunResult> {
  const log = pino({ level: 'silent' });
  const signal = new AbortController().signal;
  return undoRun(
    { db: pool, log, signal, env: {}, progress() {}, ...deps },
    { run, jobId: null, requestedBy: 'test' },
  );
}

let names = 0;

/** Returns a unique feed name. */
export const newName = () => `feed-${++names}`;

/**
 * Creates a feed from its definition, with sources relative to `folder`. Many test feeds in a county have the
 * same keys, but these are separate parcels unless `overlap` says otherwise.
 */
export function feedOf(folder: string, definition: Record<string, unknown>): Feed {
  const apart = definition.kind === 'assessor' && definition.overlap === undefined;
  const text = stringify({ ...definition, ...(apart && { overlap: 'separate' }) });
  return parseFeed(text, join(folder, `${definition.name}.yaml`));
}

/** Creates an assessor feed with one file of features, `<name>.ndgeojson`. */
export function rollFeed(
  folder: string,
  name: string,
  columns: Record<string, unknown>,
  { key = 'PIN', ...more }: { key?: string } & Record<string, unknown> = {},
): Feed {
  const roll = { source: `${name}.ndgeojson`, format: 'ndgeojson', key, columns };
  return feedOf(folder, { name, kind: 'assessor', fips: '33019', roll, ...more });
}

/** Writes a file of features with the key PIN and ingests it as an assessor roll. */
export function ingestRoll(
  pool: TestDb,
  folder: string,
  name: string,
  features: readonly Feature[],
  {
    columns = {},
    force = false,
    ...more
  }: { columns?: Record<string, unknown>; force?: boolean } & Record<string, unknown> = {},
): Promise<RunResult> {
  writeFeatures(join(folder, `${name}.ndgeojson`), features);
  return ingest(pool, rollFeed(folder, name, columns, more), { force });
}

export type Feature = { properties: Record<string, unknown>; geometry: Geometry | null };

/** Writes a file with one GeoJSON feature per line. */
export function writeFeatures(path: string, features: readonly Feature[]): void {
  writeFileSync(
    path,
    features
      .map(({ properties, geometry }) => `${JSON.stringify({ type: 'Feature', properties, geometry })}\n`)
      .join(''),
  );
}

/** Writes a file with one JSON object per line. */
export function writeObjects(path: string, rows: readonly Record<string, unknown>[]): void {
  writeFileSync(path, rows.map(row => `${JSON.stringify(row)}\n`).join(''));
}

/** Southwest corner of the lots that `lot` creates, inside Sullivan County, New Hampshire (33019). */
export const ORIGIN = [-72.15, 43.2] as const;

/** The n-th square lot on a grid of 0.001-degree lots with gaps between them. */
export function lot(n: number, size = 0.001): Geometry {
  return { type: 'Polygon', coordinates: lotRings(n, size) };
}

export function lotRings(n: number, size = 0.001): Polygon {
  return squareRings(ORIGIN[0] + 0.0015 * (n % 50), ORIGIN[1] + 0.0015 * Math.floor(n / 50), size);
}

export function square(west: number, south: number, size: number): Geometry {
  return { type: 'Polygon', coordinates: squareRings(west, south, size) };
}

function squareRings(west: number, south: number, size: number): Polygon {
  const round = (degrees: number): number => Math.round(degrees * 1e7) / 1e7;
  return [boxRing(round(west), round(south), round(west + size), round(south + size))];
}

/** Inserts only the regions that a test's listings need, because `loadRegions` loads 44,000. */
export async function insertRegions(
  pool: TestDb,
  regions: { type: 'county' | 'zip'; code: string; state: string; fips: number }[],
): Promise<void> {
  for (const { type, code, state, fips } of regions) {
    await pool.query(
      'insert into regions (id, type, code, name, state, county_name, fips) values ($1, $2, $3, $3, $4, $3, $5)',
      [uuidV5(`${type}:${code}`), type, code, state, fips],
    );
  }
}

export async function all<T extends pg.QueryResultRow>(
  pool: TestDb,
  text: string,
  values: unknown[] = [],
): Promise<T[]> {
  return (await pool.query<T>(text, values)).rows;
}

export async function one<T extends pg.QueryResultRow>(
  pool: TestDb,
  text: string,
  values: unknown[] = [],
): Promise<T> {
  const rows = await all<T>(pool, text, values);
  if (rows.length !== 1) throw new Error(`${rows.length} rows instead of one: ${text}`);
  return rows[0]!;
}

/** Runs three at a time, because a killed child spends most of its time loading the program. */
export async function threeAtATime<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const lane = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all([lane(), lane(), lane()]);
}
