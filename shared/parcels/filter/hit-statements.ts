import type { Box } from '../../geo/geometry-types.ts';
import { countyOf } from '../../model/property-id.ts';
import type { Db } from '../../platform/db.ts';
import type { Values } from '../../platform/named-parameters.ts';
import { compose } from '../../platform/statements.ts';
import type { Place } from '../map-statements.ts';
import type { Selection } from './filter-selection.ts';

/**
 * SQL for a hit's figure. `f` is its row in parcel_filters. `join` adds the other tables that the figure
 * reads.
 */
export type HitFigure = { figure: string; join: string };

/** The number of hits and their total acres. Unknown acres count as zero. */
export type Total = { count: number; acres: number };

/** The number of hits, in total and per class. `null` is the class of unknown figures. */
export type Classified = { total: Total; counts: Map<number | null, number> };

export const sumHits = async (db: Db, selection: Selection): Promise<Total> =>
  (await sumBy(db, selection, { class: 'null::int', join: '' })).total;

/** Counts all hits, and those in each class. @param breaks where the second and later classes start */
export const sumClasses = (
  db: Db,
  { values, ...selection }: Selection,
  { figure, join }: HitFigure,
  breaks: readonly number[],
): Promise<Classified> =>
  sumBy(
    db,
    { ...selection, values: { ...values, breaks } },
    { class: `width_bucket((${figure})::float8, :breaks::float8[])`, join },
  );

async function sumBy(
  db: Db,
  { table, where, counties, values }: Selection,
  by: { class: string; join: string },
): Promise<Classified> {
  const from = table();
  const extra_acres = compose('parcels/extra_acres', {
    of: 'true',
    from,
    where,
    counties: counties.replaceAll('f.', 'p.'),
  });
  const fragments = { ...by, from, where, extra_acres };
  const rows = await db.run<{ class: number | null; extra: number } & Total>(
    'parcels/sum_hits',
    values,
    fragments,
  );
  const sum = (name: 'count' | 'acres') => rows.reduce((total, row) => total + row[name], 0);
  return {
    counts: new Map(rows.map(row => [row.class, row.count])),
    total: { count: sum('count'), acres: sum('acres') - (rows[0]?.extra ?? 0) },
  };
}

/** The box around all hits, in degrees. Undefined if no hit has a location. */
export async function readHitsBox(db: Db, { from, where, values }: Selection): Promise<Box | undefined> {
  type Row = { west: number | null; south: number; east: number; north: number };
  const [box] = await db.run<Row>('parcels/read_hits_box', values, { from, where });
  return box?.west == null ? undefined : [box.west / 1e7, box.south / 1e7, box.east / 1e7, box.north / 1e7];
}

const fragmentsOf = ({ table, where }: Selection, { figure, join }: HitFigure) => ({
  table: table(),
  where,
  figure,
  join,
});

/** The number of hits per class of a figure. `null` is the class of unknown figures. */
export async function countClasses(
  db: Db,
  selection: Selection,
  figure: HitFigure,
  breaks: readonly number[],
): Promise<Map<number | null, number>> {
  const rows = await db.run<{ class: number | null; count: number }>(
    'parcels/count_classes',
    { ...selection.values, breaks },
    fragmentsOf(selection, figure),
  );
  return new Map(rows.map(row => [row.class, row.count]));
}

async function findQuantiles(
  db: Db,
  selection: Selection,
  figure: HitFigure,
  shares: readonly number[],
  counted: string,
): Promise<number[] | null> {
  const [row] = await db.run<{ quantiles: number[] | null }>(
    'parcels/find_quantiles',
    { ...selection.values, shares },
    { ...fragmentsOf(selection, figure), counted },
  );
  return row!.quantiles;
}

/** The 20th, 40th, 60th, and 80th percentiles. */
export const findFifths = (db: Db, selection: Selection, figure: HitFigure): Promise<number[] | null> =>
  findQuantiles(db, selection, figure, [0.2, 0.4, 0.6, 0.8], 'true');

/** The 1st and 99th percentiles of the positive values. */
export const findEnds = (db: Db, selection: Selection, figure: HitFigure): Promise<number[] | null> =>
  findQuantiles(db, selection, figure, [0.01, 0.99], `(${figure.figure}) > 0`);

export const listHitFigures = (
  db: Db,
  { figure, join }: HitFigure,
  propertyIds: readonly number[],
): Promise<{ property_id: number; figure: number | null }[]> =>
  db.run<{ property_id: number; figure: number | null }>(
    'parcels/list_figures',
    { property_ids: propertyIds, counties: [...new Set(propertyIds.map(countyOf))] },
    { figure, join },
  );

export type HitInTile = Place & { property_id: number; figure: number | null };

export const listHitsInTile = (
  db: Db,
  { table, where, values }: Selection,
  { figure, join }: HitFigure,
  inTile: Values,
): Promise<HitInTile[]> =>
  db.run<HitInTile>(
    'parcels/list_tile_hits',
    { ...values, ...inTile },
    { table: table('near'), where, join, figure },
  );

/** Whether any parcel in a county has the data that the predicate reads. */
export async function isKnownIn(db: Db, { from, where, values }: Selection, fips: number): Promise<boolean> {
  const [row] = await db.run<{ known: boolean }>('parcels/is_known', { ...values, fips }, { from, where });
  return row!.known;
}
