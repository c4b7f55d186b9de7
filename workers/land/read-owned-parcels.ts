import { boxAround, boxSql, isEmptyBox, withMarginE7 } from '../../shared/geo/box.ts';
import type { Box } from '../../shared/geo/geometry-types.ts';
import { NEAR_M, nearbyPairs } from '../../shared/kernels/assemblage.ts';
import { groupBy } from '../../shared/kernels/groups.ts';
import { countyOf } from '../../shared/model/property-id.ts';
import { readCopy } from '../../shared/platform/copy.ts';
import type { Db } from '../../shared/platform/db.ts';
import { compose, literal } from '../../shared/platform/statements.ts';

/** Parcels whose owner is known, as columns, because 200,000 objects would take 70 MB. */
export type OwnedParcels = {
  ids: Float64Array;
  /** A number for each owner. */
  owners: Float64Array;
  acres: Float64Array;
  /** West, south, east, and north of each parcel in turn, in 1e-7 degrees. NaN without a boundary. */
  boxes: Float64Array;
};

/**
 * Owners with more parcels in a county are mostly public bodies, associations, and railroads, whose parcels
 * nobody buys together.
 */
export const MAX_OWNED = 500;

export type CountyParcels = {
  /** Number of the county's parcels. */
  known: number;
  /** The number of parcels without a boundary. */
  withoutBoundary: number;
  /** The ids of those whose owner has too many of them. */
  skipped: Float64Array;
  /** The others, and the parcels in other counties that may belong to their assemblages. */
  parcels: OwnedParcels;
};

/**
 * Reads a county's parcels by owner. If an owner's parcels come together at a county line, all of the owner's
 * parcels in all counties are read, so that every county finds the same assemblages.
 */
export async function readOwnedParcels(db: Db, fips: number): Promise<CountyParcels> {
  const numbers: OwnerNumbers = new Map();
  const own = await readParcels(db, fips, 'true', numbers);
  const owners = bordering(own, await readStrips(db, fips, own, numbers));
  const keys = [...numbers].flatMap(([key, owner]) => (owners.has(owner) ? [key] : []));
  const counties = [own, ...(await readAllOf(db, new Set(keys), fips, numbers))];
  const isSkipped = haveTooMany(own);
  return {
    known: own.ids.length,
    withoutBoundary: own.boxes.filter(Number.isNaN).length / 4,
    skipped: own.ids.filter((_, i) => isSkipped(i)),
    parcels: joined(
      counties.map(county => {
        const isOver = haveTooMany(county);
        return filtered(county, i => !isOver(i));
      }),
    ),
  };
}

/** Whether the owner of a county's parcel has too many of them. */
function haveTooMany({ owners }: OwnedParcels): (parcel: number) => boolean {
  const counts = new Map<number, number>();
  for (const owner of owners) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return parcel => counts.get(owners[parcel]!)! > MAX_OWNED;
}

function filtered({ ids, owners, acres, boxes }: OwnedParcels, includes: (parcel: number) => boolean) {
  return {
    ids: ids.filter((_, i) => includes(i)),
    owners: owners.filter((_, i) => includes(i)),
    acres: acres.filter((_, i) => includes(i)),
    boxes: boxes.filter((_, i) => includes(i >> 2)),
  };
}

function joined(all: readonly OwnedParcels[]): OwnedParcels {
  const column = (name: keyof OwnedParcels) => {
    const values = new Float64Array(all.reduce((sum, parcels) => sum + parcels[name].length, 0));
    let at = 0;
    for (const { [name]: some } of all) {
      values.set(some, at);
      at += some.length;
    }
    return values;
  };
  return { ids: column('ids'), owners: column('owners'), acres: column('acres'), boxes: column('boxes') };
}

const COLUMNS = {
  id: { type: 'int8', null: 0 },
  key: { type: 'uuid', null: 0 },
  mayLackZip: { type: 'int4', null: 0 },
  acres: { type: 'float8', null: 0 },
  west: { type: 'float8', null: Number.NaN },
  south: { type: 'float8', null: Number.NaN },
  east: { type: 'float8', null: Number.NaN },
  north: { type: 'float8', null: Number.NaN },
} as const;

const NO_BOX = [Number.NaN, Number.NaN, Number.NaN, Number.NaN];

/** The number of each owner, by key without dashes. */
type OwnerNumbers = Map<string, number>;

/** @param among a condition on `parcel_filters f` */
async function readParcels(
  db: Db,
  fips: number,
  among: string,
  numbers: OwnerNumbers,
): Promise<OwnedParcels> {
  const copy = compose('land/copy_owned_parcels', { fips: literal(fips), among });
  const { rows, columns } = await readCopy(db, copy, COLUMNS);
  const keyOf = (i: number) => Buffer.from(columns.key.subarray(16 * i, 16 * i + 16)).toString('hex');
  const places = Array.from(columns.mayLackZip, (may, i) => (may === 1 ? [keyOf(i)] : [])).flat();
  const ofPlaces = await ownersOfPlaces(db, places);
  const owners = new Float64Array(rows);
  const boxes = new Float64Array(4 * rows);
  for (let i = 0; i < rows; i++) {
    const key = keyOf(i);
    const owner = ofPlaces.get(key) ?? key;
    if (!numbers.has(owner)) numbers.set(owner, numbers.size);
    owners[i] = numbers.get(owner)!;
    const [west, south, east, north] = [columns.west, columns.south, columns.east, columns.north].map(
      side => side[i]!,
    ) as Box;
    boxes.set(west < east && south < north ? [west, south, east, north] : NO_BOX, 4 * i);
  }
  return { ids: columns.id, owners, acres: columns.acres, boxes };
}

/**
 * The owner of each place that has exactly one owner with a ZIP. Parcels without a ZIP have the key of their
 * place, and belong to that owner.
 */
async function ownersOfPlaces(db: Db, keys: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.run<{ place_key: string; owner_key: string }>('land/list_only_owners', {
    place_keys: [...new Set(keys)],
  });
  return new Map(rows.map(row => [plain(row.place_key), plain(row.owner_key)]));
}

const plain = (uuid: string): string => uuid.replaceAll('-', '');

/** The parcels of other counties that are where the counties' boxes meet. */
async function readStrips(
  db: Db,
  fips: number,
  own: OwnedParcels,
  numbers: OwnerNumbers,
): Promise<OwnedParcels> {
  const box = boxAround(boxesOf(own));
  if (isEmptyBox(box)) return joined([]);
  const around = boxSql(withMarginE7(box, NEAR_M));
  const counties = await db.run<{ fips: number }>('feeds/list_counties_meeting', { boxes: [around] });
  const strips: OwnedParcels[] = [];
  for (const county of counties)
    if (county.fips !== fips)
      strips.push(await readParcels(db, county.fips, `f.extent && ${literal(around)}::box`, numbers));
  return joined(strips);
}

function* boxesOf({ boxes }: OwnedParcels): Generator<Box> {
  for (let i = 0; i < boxes.length; i += 4)
    if (!Number.isNaN(boxes[i])) yield [boxes[i]!, boxes[i + 1]!, boxes[i + 2]!, boxes[i + 3]!];
}

/** The owners who have parcels in both lists that come together. */
function bordering(own: OwnedParcels, others: OwnedParcels): Set<number> {
  const inOthers = new Set(others.owners);
  const candidates = filtered(own, i => inOthers.has(own.owners[i]!));
  const isOwn = (i: number) => i < candidates.ids.length;
  const { owners, boxes } = joined([candidates, others]);
  const pairs = nearbyPairs(owners, boxes);
  const found = new Set<number>();
  for (let i = 0; i < pairs.length; i += 2)
    if (isOwn(pairs[i]!) !== isOwn(pairs[i + 1]!)) found.add(owners[pairs[i]!]!);
  return found;
}

/** All parcels of the owners in all counties but one, by county. */
async function readAllOf(
  db: Db,
  owners: ReadonlySet<string>,
  except: number,
  numbers: OwnerNumbers,
): Promise<OwnedParcels[]> {
  if (owners.size === 0) return [];
  const places = await db.run<{ place_key: string }>('land/list_owners_places', {
    owner_keys: [...owners],
  });
  const ofPlaces = await ownersOfPlaces(
    db,
    places.map(row => row.place_key),
  );
  const open = [...ofPlaces].flatMap(([place, owner]) => (owners.has(owner) ? [place] : []));
  const rows = await db.run<{ property_id: number }>('land/list_owners_parcels', {
    owner_keys: [...owners, ...open],
  });
  const ids = groupBy(
    rows.map(row => row.property_id),
    countyOf,
  );
  ids.delete(except);
  const counties: OwnedParcels[] = [];
  for (const [fips, ofCounty] of ids)
    counties.push(
      await readParcels(db, fips, `f.property_id = any (${literal(ofCounty)}::bigint[])`, numbers),
    );
  return counties;
}
