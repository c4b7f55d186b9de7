import type { Box } from '../../geo/geometry-types.ts';
import { countyOf } from '../../model/property-id.ts';
import { compose, type Reads } from '../../platform/db.ts';
import type { Values } from '../../platform/named-parameters.ts';
import type { Place } from '../map-statements.ts';
import type { Selection } from './filter-selection.ts';

/** A figure of hits as SQL: `f` is the hit's parcel_filters, `join` has the tables that it reads besides. */
export type HitFigure = { figure: string; join: string };

/** How many hits, and their acres together, as far as these are known. */
export type Total = { count: number; acres: number };

/** How many hits, and how many of them are in each class; `null`: its figure is not known. */
export type Classified = { total: Total; counts: Map<number | null, number> };

export const sumHits = async (db: Reads, selection: Selection): Promise<Total> =>
  (await sumBy(db, selection, { class: 'null::int', join: '' })).total;

/** All hits, and those in each class of a figure. @param breaks where the second and later ones begin */
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

/** Around all hits, in degrees; undefined where none has a place. */
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

/** How many hits are in each class of a figure; `null`: its figure is not known. */
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

/** Where about a fifth of the hits ends each. */
export async function findFifths(db: Reads, selection: Selection, figure: HitFigure): Promise<number[]> {
  const [row] = await db.runComposed<{ fifths: number[] | null }>(
    'parcels/find_fifths',
    fragmentsOf(selection, figure),
    selection.values,
  );
  return row!.fifths ?? [];
}

/** The figures between which nearly all hits are; undefined without hits. */
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

/** The figure of each of some parcels. */
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

/** Whether a county's parcels have what the predicate reads. */
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
