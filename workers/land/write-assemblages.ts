import type { Assemblage } from '../../shared/kernels/assemblage.ts';
import {
  ASSEMBLAGE_COLUMN,
  type AssemblageRow,
  shownAssemblage,
} from '../../shared/land/assemblage-columns.ts';
import { roundAcres } from '../../shared/model/shown-acres.ts';
import { readCopy } from '../../shared/platform/copy.ts';
import type { Db } from '../../shared/platform/db.ts';
import { LOCKS } from '../../shared/platform/locks.ts';
import { compose, literal } from '../../shared/platform/statements.ts';
import { type ShownLand, stageMeasuredLand } from '../changes/measured-changes.ts';
import { openChanges, recordChanges } from '../changes/record-changes.ts';

/** Parcels per statement. */
const BATCH = 1_000;

/**
 * Stores the assemblages that differ from the stored ones, deletes those that no longer exist, and records
 * the changes. Call it in a transaction that keeps merges of the county waiting.
 * @param found null for parcels whose owner has too many parcels
 * @returns the number of parcels that differ
 */
export async function writeAssemblages(
  db: Db,
  fips: number,
  found: ReadonlyMap<number, Assemblage | null>,
): Promise<number> {
  // Chunks of land figures write the same parcels.
  await db.run('land/lock_counties', { lock: LOCKS.countyAttributes, counties: [fips] });
  const ids = await listDiffering(db, fips, found);
  if (ids.length === 0) return 0;
  await openChanges(db);
  // In batches, because the parcels as shown before and after, and their changes, take much memory.
  for (const property_ids of batchesOf(ids)) {
    const before = await readShown(db, fips, property_ids);
    await store(db, fips, property_ids, found);
    await stageMeasuredLand(db, fips, before, await readShown(db, fips, property_ids));
  }
  await recordChanges(db);
  return ids.length;
}

function* batchesOf<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let from = 0; from < items.length; from += BATCH) yield items.slice(from, from + BATCH);
}

const FIGURE = { type: 'float8', null: Number.NaN } as const;

/** The parcels whose assemblage isn't the stored one, in order. */
async function listDiffering(
  db: Db,
  fips: number,
  found: ReadonlyMap<number, Assemblage | null>,
): Promise<number[]> {
  const { columns } = await readCopy(db, compose('land/copy_assemblages', { fips: literal(fips) }), {
    property: { type: 'int8', null: 0 },
    id: { type: 'int8', null: 0 },
    parcels: { type: 'int4', null: 0 },
    acres: FIGURE,
    touching: { type: 'int4', null: 0 },
    touchingAcres: FIGURE,
    counties: { type: 'int4', null: 0 },
  });
  const { property, id, parcels, acres, touching, touchingAcres, counties } = columns;
  const storedText = (i: number) =>
    id[i] === 0
      ? textOf(null)
      : [id[i], parcels[i], acres[i], touching[i], touchingAcres[i], counties[i]].join(' ');
  const gone: number[] = [];
  const same = new Set<number>();
  for (const [i, property_id] of property.entries()) {
    const is = found.get(property_id);
    if (is === undefined) gone.push(property_id);
    else if (textOf(is) === storedText(i)) same.add(property_id);
  }
  const changed = [...found.keys()].filter(property_id => !same.has(property_id));
  return [...changed, ...gone].sort((a, b) => a - b);
}

function textOf(assemblage: Assemblage | null): string {
  if (assemblage === null) return '';
  const { assemblage_id, parcels, acres, touching_parcels, touching_acres, counties } = columnsOf(assemblage);
  return [assemblage_id, parcels, acres, touching_parcels, touching_acres, counties.length].join(' ');
}

const columnsOf = ({ id, acres, touching_acres, ...of }: Assemblage) => ({
  ...of,
  assemblage_id: id,
  acres: roundAcres(acres),
  touching_acres: roundAcres(touching_acres),
});

/** Stores the assemblages of these parcels, and deletes the rows of those that were not found. */
async function store(
  db: Db,
  fips: number,
  property_ids: readonly number[],
  found: ReadonlyMap<number, Assemblage | null>,
): Promise<void> {
  const gone = property_ids.filter(id => !found.has(id));
  if (gone.length > 0) await db.run('land/delete_assemblages', { fips, property_ids: gone });
  const rows = property_ids.flatMap(property_id => {
    const assemblage = found.get(property_id);
    if (assemblage === undefined) return [];
    return [{ fips, property_id, ...(assemblage !== null && columnsOf(assemblage)) }];
  });
  await db.run('land/store_assemblages', {}, { rows: literal(JSON.stringify(rows)) });
}

type Row = Pick<ShownLand, 'property_id' | 'created_run' | 'row_version'> & { assemblage: AssemblageRow };

/** The parcels on the roll, as the API shows them. */
async function readShown(db: Db, fips: number, property_ids: readonly number[]): Promise<ShownLand[]> {
  const rows = await db.run<Row>(
    'land/read_shown_assemblages',
    { fips, property_ids },
    { assemblage: ASSEMBLAGE_COLUMN },
  );
  return rows.map(row => ({ ...row, ...shownAssemblage(row.assemblage) }));
}
