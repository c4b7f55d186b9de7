import type { RunCounts } from '../../../../shared/feeds/ingest-runs.ts';
import { areaSqM, sqMToAcres } from '../../../../shared/geo/geodesic-area.ts';
import { decodeBoundary } from '../../../../shared/geo/geometry-codec.ts';
import type { MultiPolygon } from '../../../../shared/geo/geometry-types.ts';
import { combineParts } from '../../../../shared/geo/overlay.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { increment } from '../../engine/run-counts.ts';
import { REJECTS_KEPT } from '../../engine/stage-rows.ts';
import { measureBoundary, type StagedShape } from './stage-boundary.ts';

type SplitShape = {
  /** 0 if the roll has its own geometry, 1 for a geometry file. */
  input: number;
  fips: number;
  key: string;
  /** The rows' locations in the staging table (ctid). */
  places: string[];
  row_nos: number[];
  /**
   * Whether a feature's attributes are the same as the first feature's. Null if they were stored, or if there
   * are none.
   */
  identical: (boolean | null)[];
  hashes: string[];
  /** Null for points. */
  acres: (number | null)[];
  boundaries: (Buffer | null)[];
  /** Location and box of the first feature with the key. */
  location: string;
  extent: string;
};

/**
 * Number of parcels whose parts are in memory at a time. A county with many condominiums has tens of
 * thousands.
 */
const FETCH = 500;

/**
 * Features with the same key become one boundary. Repeats are dropped, overlapping features are combined, and
 * both are counted. If a union can't be computed, the first feature is used and the others are rejected.
 */
export async function joinShapes(db: Db, runId: number, counts: RunCounts): Promise<void> {
  for await (const rows of db.batches<SplitShape>('feeds/list_split_shapes', FETCH)) {
    for (const shape of rows) countFeatures(shape, counts);
    await unitePartsOf(db, runId, counts, rows);
  }
}

async function unitePartsOf(db: Db, runId: number, counts: RunCounts, shapes: SplitShape[]): Promise<void> {
  const united: StagedShape[] = [];
  for (const shape of shapes) {
    const whole = unite(shape);
    united.push(whole ?? firstOf(shape));
    if (whole) continue;
    const others = shape.row_nos.slice(1);
    increment(counts.dropped, 'geometry', others.length);
    await db.run('feeds/reject_parts', {
      run_id: runId,
      input: shape.input === 1 ? 'shape' : 'roll',
      row_numbers: others,
      key: shape.key,
      most: REJECTS_KEPT,
    });
  }
  await db.run('feeds/replace_split_shapes', {
    ctids: shapes.flatMap(shape => shape.places),
    inputs: shapes.map(shape => shape.input),
    row_numbers: shapes.map(shape => shape.row_nos[0]),
    fips: shapes.map(shape => shape.fips),
    keys: shapes.map(shape => shape.key),
    hashes: united.map(shape => shape.hash),
    locations: united.map(shape => shape.location),
    extents: united.map(shape => shape.extent),
    acres: united.map(shape => shape.acres),
    boundaries: united.map(({ boundary }) => boundary && Buffer.from(boundary)),
  });
}

/**
 * A feature after the first is a part, or identical if it repeats another feature's geometry and attributes.
 * For a roll with geometry, rows that repeat the first row's attributes were counted as identical before
 * their geometry was read. Rows that differ are among the rejected ones.
 */
function countFeatures({ input, hashes, identical }: SplitShape, counts: RunCounts): void {
  const seen = new Set(hashes.slice(0, 1));
  for (let i = 1; i < hashes.length; i++) {
    const repeated = seen.has(hashes[i]!) && identical[i] !== false;
    seen.add(hashes[i]!);
    if (input === 1) {
      if (repeated) counts.identical++;
      else counts.parts++;
    } else if (identical[i] && !repeated) {
      counts.identical--;
      counts.parts++;
    }
  }
}

/** A parcel's boundaries. Points add nothing to them. */
const boundariesOf = ({ acres: stated, boundaries }: SplitShape) =>
  boundaries.flatMap((boundary, i) => (boundary ? [{ boundary, acres: stated[i]! }] : []));

/** The first boundary, or else the first point. It represents the parcel. */
function firstOf(shape: SplitShape): StagedShape {
  const [first] = boundariesOf(shape);
  if (first) return measureBoundary(decodeBoundary(first.boundary), first.acres)!;
  return {
    hash: shape.hashes[0]!,
    location: shape.location,
    extent: shape.extent,
    acres: null,
    boundary: null,
  };
}

function unite(shape: SplitShape): StagedShape | null {
  const parts = boundariesOf(shape);
  if (parts.length === 0) return firstOf(shape);
  let polygons: MultiPolygon;
  try {
    polygons = combineParts(parts.map(({ boundary }) => decodeBoundary(boundary)));
  } catch {
    return null;
  }
  return measureBoundary(
    polygons,
    unitedAcres(
      sqMToAcres(areaSqM(polygons)),
      parts.map(part => part.acres),
    ),
  );
}

/**
 * Stored boundaries are rounded to 1e-7 degrees (about 1 cm), but their areas were measured before rounding.
 * Parts that don't overlap keep the sum of their exact areas. If the union is smaller by more than rounding
 * can explain, the parts overlap, and the area of the union is used.
 */
function unitedAcres(united: number, stated: number[]): number {
  const sum = stated.reduce((a, b) => a + b, 0);
  return Math.abs(united - sum) <= sum * 1e-3 ? sum : united;
}
