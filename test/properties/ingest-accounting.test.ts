import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sqMToAcres } from '../../shared/geo/geodesic-area.ts';
import { decodeBoundary } from '../../shared/geo/geometry-codec.ts';
import type { Feed } from '../../workers/ingest/all-kinds.ts';
import type { RunResult } from '../../workers/ingest/engine/locked-run.ts';
import { total } from '../../workers/ingest/engine/run-counts.ts';
import { createTestDatabase } from '../support/database.ts';
import { all, feedOf, ingest, lotRings, writeFeatures } from '../support/ingest.ts';
import {
  featureOf,
  type Input,
  type Parcel,
  type Reading,
  type Row,
  read,
  rows,
} from '../support/roll-model.ts';
import { runs } from '../support/runs.ts';
import { geographicLibAreaSqM } from './geometry-shapes.ts';

const { folder, pool } = await createTestDatabase();

const COLUMNS = { owner_name: 'OWNER', acres: 'ACRES', last_sale_price: 'PRICE', last_sale_date: 'SOLD' };
const SECTION = {
  format: 'ndgeojson',
  key: { columns: ['PIN'], strip_leading_zeros: true },
  columns: COLUMNS,
  skip_where: [{ column: 'SKIP', equals: 'x' }],
};

let feeds = 0;

function newFeed(twoFiles: boolean): Feed {
  const name = `feed-${++feeds}`;
  return feedOf(folder, {
    name,
    kind: 'assessor',
    fips: '33019',
    roll: { ...SECTION, source: `${name}-roll.ndgeojson` },
    ...(twoFiles ? { shape: { ...SECTION, source: `${name}-shape.ndgeojson` } } : {}),
  });
}

/** Writes the rows, runs the feed past its gates, and holds what became of them against the plain reading. */
async function check(feed: Feed, inputs: Input[]): Promise<RunResult> {
  for (const { name, rows: list, geometry } of inputs)
    writeFeatures(
      join(folder, `${feed.name}-${name}.ndgeojson`),
      list.map(row => featureOf(row, geometry)),
    );
  const result = await ingest(pool, feed, { force: true });
  const expected = read(inputs);
  expectCounts(result, expected);
  await expectRejects(result.runId, inputs, expected);
  await expectParcels(feed, expected.parcels);
  return result;
}

function expectCounts({ counts }: RunResult, expected: Reading): void {
  const { skipped, identical, parts } = counts;
  const rejected = total(counts.rejected);
  expect({ read: total(counts.read), skipped, rejected, identical, parts }).toEqual({
    read: expected.read,
    skipped: expected.skipped,
    rejected: expected.rejected,
    identical: expected.identical,
    parts: expected.parts,
  });
  expect(skipped + rejected + identical + parts + expected.used).toBe(expected.read);
  expect(counts.new + counts.changed + counts.unchanged + counts.returned).toBe(expected.parcels.size);
}

type RejectRow = {
  input: string;
  row_no: number;
  reason: string;
  field: string | null;
  message: string;
  raw: string;
};

async function expectRejects(runId: number, inputs: Input[], expected: Reading): Promise<void> {
  const rejects = await all<RejectRow>(
    pool,
    'select input, row_no, reason, field, message, raw from run_rejects where run_id = $1',
    [runId],
  );
  expect(rejects.map(r => `${r.input} ${r.row_no} ${r.reason}`).sort()).toEqual(expected.rejects);
  for (const { input, row_no, message, raw, field } of rejects) {
    const { rows: list, geometry: withGeometry } = inputs.find(({ name }) => name === input)!;
    const { properties, geometry } = featureOf(list[row_no - 1]!, withGeometry);
    expect(JSON.parse(raw)).toEqual(
      JSON.parse(JSON.stringify(geometry ? { ...properties, geometry } : properties)),
    );
    expect(message).not.toBe('');
    expect(field).not.toBeNull();
  }
}

type ParcelRow = Omit<Parcel, 'lots'> & {
  source_key: string;
  calculated_acres: number | null;
  effective_acres: number | null;
  boundary: Buffer | null;
  location: { x: number; y: number } | null;
};

async function expectParcels(feed: Feed, expected: Map<string, Parcel>): Promise<void> {
  const stored = await all<ParcelRow>(
    pool,
    `select source_key, owner_name, acres, last_sale_price, last_sale_date, calculated_acres, effective_acres, boundary, location
     from parcels join feeds on feeds.id = feed_id where name = $1 and retired_at is null`,
    [feed.name],
  );
  expect(stored.map(row => row.source_key).sort()).toEqual([...expected.keys()].sort());
  for (const { source_key, calculated_acres, effective_acres, boundary, location, ...values } of stored) {
    const { lots, parts, file: _, ...attributes } = expected.get(source_key)!;
    const stated = statedAcres(attributes.acres as number | null, parts, calculated_acres);
    expect(values).toEqual({ ...attributes, acres: stated });
    if (lots.length === 0) {
      expect([calculated_acres, boundary, location]).toEqual([null, null, null]);
    } else {
      const area = sqMToAcres(geographicLibAreaSqM(lots.map(n => lotRings(n))));
      expect(Math.abs(calculated_acres! - area)).toBeLessThanOrEqual(1e-6 * area + 5e-8);
      expect(decodeBoundary(boundary!)).toHaveLength(lots.length);
    }
    expect(effective_acres).toBe(values.acres ?? calculated_acres);
  }
}

/** The first row's acreage, or the sum over the parts where it agrees better with the measured one. */
function statedAcres(own: number | null, parts: Parcel['parts'], measured: number | null): number | null {
  const differ = parts.some(part => part.acres !== own) && parts.every(part => part.acres !== null);
  if (own === null || measured === null || !differ) return own;
  const sum = (list: Parcel['parts']) => list.reduce((total, part) => total + part.acres!, own);
  const off = (acres: number) => Math.abs(acres - measured);
  return [own, sum(parts.filter(part => !part.identical)), sum(parts)].reduce((a, b) =>
    off(b) < off(a) ? b : a,
  );
}

const ids = (feed: Feed) =>
  all<{ source_key: string; property_id: number }>(
    pool,
    'select source_key, property_id from parcels join feeds on feeds.id = feed_id where name = $1',
    [feed.name],
  );

/**
 * A roll, the same again, and another roll: every row accounted for each time, ids kept, the
 * repetition without effect.
 */
async function checkYears(twoFiles: boolean, first: Input[], second: Input[]): Promise<void> {
  const feed = newFeed(twoFiles);
  await check(feed, first);
  const before = new Map((await ids(feed)).map(row => [row.source_key, row.property_id]));
  const again = await check(feed, first);
  expect(again.status).toBe('unchanged');
  await check(feed, second);
  const after = await ids(feed);
  for (const { source_key, property_id } of after)
    expect(property_id).toBe(before.get(source_key) ?? property_id);
  expect(new Set(after.map(row => row.property_id)).size).toBe(after.length);
  expect(after.length).toBeGreaterThanOrEqual(before.size);
}

const RUNS = { numRuns: runs(6) };
/** Three runs an example: two seconds on a quiet machine. */
const TIMEOUT_MS = 120_000;

test(
  'a roll with its own geometry: every row is in one place, and the parcels are a plain reading of it',
  async () => {
    const input = (list: Row[]): Input[] => [{ name: 'roll', rows: list, geometry: true }];
    await fc.assert(
      fc.asyncProperty(rows(25), rows(25), (first, second) => checkYears(false, input(first), input(second))),
      RUNS,
    );
  },
  TIMEOUT_MS,
);

test(
  'a roll and its geometry in two files: likewise',
  async () => {
    const input = (roll: Row[], shape: Row[]): Input[] => [
      { name: 'roll', rows: roll, geometry: false },
      { name: 'shape', rows: shape, geometry: true },
    ];
    await fc.assert(
      fc.asyncProperty(rows(15), rows(20), rows(15), rows(20), (roll, shape, roll2, shape2) =>
        checkYears(true, input(roll, shape), input(roll2, shape2)),
      ),
      RUNS,
    );
  },
  TIMEOUT_MS,
);
