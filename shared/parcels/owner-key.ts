import type { Db } from '../platform/db.ts';

type Place = { place_key: string };

/**
 * The keys of one owner's parcels: the key for street and ZIP, and the keys for every place (street, city,
 * state) that has only this ZIP. The latter match parcels without a ZIP. Resolved on demand, because loading
 * any county may change them.
 * @param key the key of one of the parcels
 */
export async function ownerKeys(db: Db, key: string): Promise<string[]> {
  const keys = [key];
  // This takes two statements, because a cluster queries only the servers of the given keys.
  const places = await db.run<Place>('parcels/list_places', { owner_key: key });
  const place_keys = places.map(({ place_key }) => place_key);
  for (const { place_key } of await db.run<Place>('parcels/list_open_places', { place_keys })) {
    const owners = await db.run<{ owner_key: string }>('parcels/list_place_owners', { place_key });
    const only = owners.length === 1 ? owners[0]!.owner_key : undefined;
    // If the parcel itself has no ZIP, use the only owner at its place.
    if (place_key === key) return only === undefined ? keys : ownerKeys(db, only);
    if (only === key) keys.push(place_key);
  }
  return keys;
}
