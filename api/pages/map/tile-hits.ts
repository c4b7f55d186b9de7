import { PlatError } from '../../../shared/base/errors.ts';
import { boxSql, boxToE7 } from '../../../shared/geo/box.ts';
import type { FilterBody } from '../../../shared/parcels/filter/declare-filter.ts';
import { filterSchema } from '../../../shared/parcels/filter/filter-schema.ts';
import { selectParcels } from '../../../shared/parcels/filter/select-parcels.ts';
import { countiesIntersecting } from '../../../shared/regions/county-polygons.ts';
import type { Database } from '../../http/database.ts';
import type { Visit } from '../frame/visit.ts';
import { type Color, colorOf, NO_FIGURE } from './map-colors.ts';
import { listCounties, readFilters } from './read-filters.ts';
import { boundsOf, type Tile } from './tile-geometry.ts';

/** A search whose hits are marked on the map. */
export type TileHits = {
  /** The same for the same hits in the same colors. */
  key: string;
  body: FilterBody;
  asOf: Date;
  color: Color | undefined;
};

/** `tags`: `hit`, and `figure` by which it is colored, where that is known. */
export type TileHit = {
  property_id: number;
  lon: number;
  lat: number;
  tags: { hit: 1; figure?: number };
};

/** The search of an address; undefined where it has none, or one that is refused. */
export async function readTileHits(visit: Visit): Promise<TileHits | undefined> {
  const { filters, fault } = await readFilters(visit, () => listCounties(visit));
  const { order: _, ...asked } = filters;
  if (fault !== undefined || Object.keys(asked).length === 0) return undefined;
  const body = filterSchema.safeParse(asked).data;
  if (body === undefined) return undefined;
  const color = colorOf(visit.url.searchParams.get('color'));
  const asOf = visit.deps.now();
  // Months and years of filters are counted in days.
  const key = JSON.stringify([asked, color?.name, asOf.toISOString().slice(0, 10)]);
  return { key, body, asOf, color };
}

/** Before this zoom hits are one dot for each of these parts of a tile's width. */
const DOTS_UP_TO = 10;
const DOTS = 256;

type Row = Omit<TileHit, 'tags'> & { figure: number | null };

/** The hits in a tile by their ids; far away one of those that would lie on each other. */
export async function listTileHits(
  database: Database,
  { body, asOf, color }: TileHits,
  tile: Tile,
): Promise<Map<number, TileHit>> {
  const selection = await selectParcels(body, asOf, database).catch(error => {
    // The page says why.
    if (error instanceof PlatError && error.status < 500) return undefined;
    throw error;
  });
  if (selection === undefined) return new Map();
  const box = boundsOf(tile);
  const { join, figure } = color ?? NO_FIGURE;
  const { from, where, values } = selection;
  const isFar = tile.z <= DOTS_UP_TO;
  const rows = await database.runComposed<Row>(
    isFar ? 'parcels/list_tile_dots' : 'parcels/list_tile_hits',
    { from, where, join, figure },
    {
      ...values,
      box: boxSql(boxToE7(box)),
      counties: countiesIntersecting(box),
      ...(isFar && { step: 360e7 / 2 ** tile.z / DOTS }),
    },
  );
  return new Map(
    rows.map(({ figure: shown, ...hit }) => [
      hit.property_id,
      { ...hit, tags: shown === null ? { hit: 1 } : { hit: 1, figure: shown } },
    ]),
  );
}
