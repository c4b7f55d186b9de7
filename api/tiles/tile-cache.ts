import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { readMapVersion } from '../../shared/parcels/map-statements.ts';
import type { Db } from '../../shared/platform/db.ts';

export const VECTOR_TILE = 'application/vnd.mapbox-vector-tile';

/** `isLasting` is false if the tile must be made again next time. */
type MadeTile = { bytes: Buffer; type: string; isLasting?: boolean };

/** Without an ETag if it isn't kept. */
export type CachedTile = { bytes: Buffer; type: string; etag?: string };

export type TileCache = LRUCache<string, CachedTile>;

/** Tiles by path and version of the data. Holds 64 MB, and a tile is about 10 kB. */
export const openTileCache = (): TileCache =>
  new LRUCache({ maxSize: 64_000_000, sizeCalculation: ({ bytes }) => bytes.length + 200 });

/**
 * A tile from the cache, or a new one.
 * @param name the tile's path
 * @param make returns undefined if there is nothing to show
 */
export async function cachedTile(
  { db, tiles }: { db: Db; tiles: TileCache },
  name: string,
  make: () => Promise<MadeTile | undefined>,
): Promise<CachedTile | undefined> {
  const key = `${name}/${await readMapVersion(db)}`;
  const kept = tiles.get(key);
  if (kept !== undefined) return kept;
  const made = await make();
  if (made === undefined || made.isLasting === false) return made;
  const { bytes, type } = made;
  const tile = { bytes, type, etag: `"${hash('sha256', bytes, 'hex').slice(0, 20)}"` };
  tiles.set(key, tile);
  return tile;
}
