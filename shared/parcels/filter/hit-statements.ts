import type { Box } from '../../geo/geometry-types.ts';
import { countyOf } from '../../model/property-id.ts';
import { compose, type Reads } from '../../platform/db.ts';
import type { Values } from '../../platform/named-parameters.ts';
import type { Place } from '../map-statements.ts';
import type { Selection } from './filter-selection.ts';

/** A value of each hit as SQL. `f` is the hit's parcel_filters, `join` adds other tables. */
export type HitFigure = { figure: string; join: string };

/** The number of hits, and their total known acres. */
export type Total = { count: number; acres: number };

/** The number of hits, in total and per class. The class `null` has unknown values. */
export type Classified = { total: Total; counts: Map<number | null, number> };

export const sumHits = async (db: Reads, selection: Selection): Promise<Total> =>
  (await sumBy(db, selection, { class: 'null::int', join: '' })).total;

/** Counts hits in total and per class. @param breaks lower bounds of the second and later classes */
export const sumClasses = (
  db: Reads,
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
  db: Reads,
  { table, where, values }: Selection,
  by: { class: string; join: string },
): Promise<Classified> {
  const from = table();
  const extra_acres = compose('parcels/extra_acres', { of: 'true', from, where });
  const rows = await db.runComposed<{ class: number | null; extra: number } & Total>(
    'parcels/sum_hits',
    { ...by, from, where, extra_acres },
    values,
  );
  const sum = (name: 'count' | 'acres') => rows.reduce((total, row) => total + row[name], 0);
  return {
    counts: new Map(rows.map(row => [row.class, row.count])),
    total: { count: sum('count'), acres: sum('acres') - (rows[0]?.extra ?? 0) },
  };
}

/** The extent of all hits in degrees. Undefined if none has a location. */
export async function readHitsBox(db: Reads, { from, where, values }: Selection): Promise<Box | undefined> {
  type Row = { west: number | null; south: number; east: number; north: number };
  const [box] = await db.runComposed<Row>('parcels/read_hits_box', { from, where }, values);
  return box?.west == null ? undefined : [box.west / 1e7, box.south / 1e7, box.east / 1e7, box.north / 1e7];
}

const fragmentsOf = ({ table, where }: Selection, { figure, join }: HitFigure) => ({
  table: table(),
  where,
  figure,
  join,
});

/** The number of hits per class. The class `null` has unknown values. */
export async function countClasses(
  db: Reads,
  selection: Selection,
  figure: HitFigure,
  breaks: readonly number[],
): Promise<Map<number | null, number>> {
  const rows = await db.runComposed<{ class: number | null; count: number }>(
    'parcels/count_classes',
    fragmentsOf(selection, figure),
    { ...selection.values, breaks },
  );
  return new Map(rows.map(row => [row.class, row.count]));
}

/** Breaks that split the hits into about five equal parts. */
export async function findFifths(db: Reads, selection: Selection, figure: HitFigure): Promise<number[]> {
  const [row] = await db.runComposed<{ fifths: number[] | null }>(
    'parcels/find_fifths',
    fragmentsOf(selection, figure),
    selection.values,
  );
  return row!.fifths ?? [];
}

/** The range that contains nearly all hits. Undefined without hits. */
export async function findEnds(
  db: Reads,
  selection: Selection,
  figure: HitFigure,
): Promise<[number, number] | undefined> {
  const [row] = await db.runComposed<{ ends: [number, number] | null }>(
    'parcels/find_ends',
    fragmentsOf(selection, figure),
    selection.values,
  );
  return row?.ends ?? undefined;
}

/** The value of each of these parcels. */
export const listHitFigures = (
  db: Reads,
  { figure, join }: HitFigure,
  propertyIds: readonly number[],
): Promise<{ property_id: number; figure: number | null }[]> =>
  db.runComposed<{ property_id: number; figure: number | null }>(
    'parcels/list_figures',
    { figure, join },
    { property_ids: propertyIds, counties: [...new Set(propertyIds.map(countyOf))] },
  );

export type HitInTile = Place & { property_id: number; figure: number | null };

export const listHitsInTile = (
  db: Reads,
  { table, where, values }: Selection,
  { figure, join }: HitFigure,
  inTile: Values,
): Promise<HitInTile[]> =>
  db.runComposed<HitInTile>(
    'parcels/list_tile_hits',
    { table: table('near'), where, join, figure },
    { ...values, ...inTile },
  );

/** Whether a county's parcels have the data that the predicate reads. */
export async function isKnownIn(
  db: Reads,
  { from, where, values }: Selection,
  fips: number,
): Promise<boolean> {
  const [row] = await db.runComposed<{ known: boolean }>(
    'parcels/is_known',
    { from, where },
    { ...values, fips },
  );
  return row!.known;
}
