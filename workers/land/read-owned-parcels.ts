import { boxAround, boxSql, withMarginE7 } from '../../shared/geo/box.ts';
import type { Box } from '../../shared/geo/geometry-types.ts';
import { NEAR_M, nearbyPairs } from '../../shared/kernels/assemblage.ts';
import { groupBy } from '../../shared/kernels/groups.ts';
import { countyOf } from '../../shared/model/property-id.ts';
import { readCopy } from '../../shared/platform/copy.ts';
import type { Db } from '../../shared/platform/db.ts';
import { compose, literal } from '../../shared/platform/statements.ts';

/** A parcel whose owner is known. */
export type OwnedParcel = {
  id: number;
  /** The owner's key, without dashes. */
  owner: string;
  acres: number;
  /** In 1e-7 degrees. Null if the parcel has no boundary. */
  box: Box | null;
};

/**
 * Owners with more parcels in a county are mostly public bodies, associations, and railroads, whose parcels
 * nobody buys together.
 */
export const MAX_OWNED = 500;

export type OwnedParcels = {
  /** The county's parcels, and the parcels in other counties that may belong to their assemblages. */
  parcels: OwnedParcel[];
  /** The county's parcels whose owner has too many of them. */
  skipped: OwnedParcel[];
};

/**
 * Reads a county's parcels by owner. If an owner's parcels come together at a county line, all of the owner's
 * parcels in all counties are read, so that every county finds the same assemblages.
 */
export async function readOwnedParcels(db: Db, fips: number): Promise<OwnedParcels> {
  const own = await readParcels(db, fips, 'true');
  const owners = bordering(own, await readStrips(db, fips, own));
  const others = await readAllOf(db, owners, fips);
  const parcels: OwnedParcel[] = [];
  const skipped: OwnedParcel[] = [];
  for (const [county, ofCounty] of groupBy([...own, ...others], parcel => countyOf(parcel.id)))
    for (const ofOwner of groupBy(ofCounty, parcel => parcel.owner).values()) {
      if (ofOwner.length <= MAX_OWNED) parcels.push(...ofOwner);
      else if (county === fips) skipped.push(...ofOwner);
    }
  return { parcels, skipped };
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

/** @param among a condition on `parcel_filters f` */
async function readParcels(db: Db, fips: number, among: string): Promise<OwnedParcel[]> {
  const copy = compose('land/copy_owned_parcels', { fips: literal(fips), among });
  const { rows, columns } = await readCopy(db, copy, COLUMNS);
  const keys = Array.from({ length: rows }, (_, i) =>
    Buffer.from(columns.key.subarray(16 * i, 16 * i + 16)).toString('hex'),
  );
  const owners = await ownersOfPlaces(
    db,
    keys.filter((_, i) => columns.mayLackZip[i] === 1),
  );
  return keys.map((key, i) => {
    const [west, south, east, north] = [columns.west, columns.south, columns.east, columns.north].map(
      side => side[i]!,
    ) as Box;
    return {
      id: columns.id[i]!,
      owner: owners.get(key) ?? key,
      acres: columns.acres[i]!,
      box: west < east && south < north ? [west, south, east, north] : null,
    };
  });
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
async function readStrips(db: Db, fips: number, own: readonly OwnedParcel[]): Promise<OwnedParcel[]> {
  const boxes = own.flatMap(({ box }) => (box === null ? [] : [box]));
  if (boxes.length === 0) return [];
  const around = boxSql(withMarginE7(boxAround(boxes), NEAR_M));
  const counties = await db.run<{ fips: number }>('feeds/list_counties_meeting', { boxes: [around] });
  const strips: OwnedParcel[] = [];
  for (const county of counties)
    if (county.fips !== fips)
      strips.push(...(await readParcels(db, county.fips, `f.extent && ${literal(around)}::box`)));
  return strips;
}

/** The owners who have parcels in both lists that come together. */
function bordering(own: readonly OwnedParcel[], others: readonly OwnedParcel[]): Set<string> {
  const inOthers = new Set(others.map(parcel => parcel.owner));
  const candidates = [...own.filter(parcel => inOthers.has(parcel.owner)), ...others];
  const ownCounty = own[0] && countyOf(own[0].id);
  const found = new Set<string>();
  forEachPair(candidates, (a, b) => {
    if ((countyOf(a.id) === ownCounty) !== (countyOf(b.id) === ownCounty)) found.add(a.owner);
  });
  return found;
}

/** Calls `use` with all pairs of parcels of one owner whose boxes come together. */
export function forEachPair(
  parcels: readonly OwnedParcel[],
  use: (a: OwnedParcel, b: OwnedParcel) => void,
): void {
  const shaped = parcels.filter(parcel => parcel.box !== null);
  const numbers = new Map<string, number>();
  const owners = shaped.map(({ owner }) => {
    if (!numbers.has(owner)) numbers.set(owner, numbers.size);
    return numbers.get(owner)!;
  });
  const pairs = nearbyPairs(owners, Float64Array.from(shaped.flatMap(parcel => parcel.box!)));
  for (let i = 0; i < pairs.length; i += 2) use(shaped[pairs[i]!]!, shaped[pairs[i + 1]!]!);
}

/** All parcels of the owners in all counties but one. */
async function readAllOf(db: Db, owners: ReadonlySet<string>, except: number): Promise<OwnedParcel[]> {
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
  const parcels: OwnedParcel[] = [];
  for (const [fips, ofCounty] of ids)
    parcels.push(...(await readParcels(db, fips, `f.property_id = any (${literal(ofCounty)}::bigint[])`)));
  return parcels;
}
