import { type FoundList, findCompanyList } from '../../../shared/lists/list-statements.ts';
import { UUID } from '../../../shared/model/uuid.ts';
import type { FilterBody } from '../../../shared/parcels/filter/declare-filter.ts';
import { filterSchema } from '../../../shared/parcels/filter/filter-schema.ts';
import { listHitsInTile } from '../../../shared/parcels/filter/hit-statements.ts';
import { type Asking, selectParcels } from '../../../shared/parcels/filter/select-parcels.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { undefinedIfRefused } from '../../http/error-responses.ts';
import type { FindHits, TileHit } from '../../tiles/parcel-tiles.ts';
import { requireAccount, type Visit } from '../frame/visit.ts';
import { listCounties, readFilters } from '../parts/read-filters.ts';
import { type Color, findColor, NO_FIGURE } from './map-colors.ts';

export type TileHits = {
  /** Identifies the results and their colors. */
  key: string;
  body: FilterBody;
  asking: Asking;
  color: Color | undefined;
};

/** The search in the URL. Undefined if there is none or it is invalid. */
export async function readTileHits(visit: Visit): Promise<TileHits | undefined> {
  const { filters, fault } = await readFilters(visit, () => listCounties(visit));
  const { order: _, ...withoutOrder } = filters;
  if (fault !== undefined || Object.keys(withoutOrder).length === 0) return undefined;
  const body = filterSchema.safeParse(withoutOrder).data;
  if (body === undefined) return undefined;
  const color = await findColor(visit.deps.db, visit.url.searchParams.get('color'));
  const asking = await searchContextOf(visit, body);
  const list = await findSearchedList(visit, body, asking);
  // Filters on months and years depend on the day.
  const key = JSON.stringify([
    withoutOrder,
    list?.updated_at,
    color?.name,
    asking.asOf.toISOString().slice(0, 10),
  ]);
  return { key, body, asking, color };
}

/** Who is searching on a page, and when. The company is set only for searches within a list. */
export async function searchContextOf(visit: Visit, { list_id }: FilterBody): Promise<Asking> {
  const asking = { asOf: visit.deps.now(), work: visit.work };
  return list_id === undefined ? asking : { ...asking, companyId: (await requireAccount(visit)).companyId };
}

/** The list of a search. Undefined for other searches, or if the company has no such list. */
export async function findSearchedList(
  { deps }: Visit,
  { list_id }: FilterBody,
  { companyId }: Asking,
): Promise<FoundList | undefined> {
  if (typeof list_id !== 'string' || !UUID.test(list_id)) return undefined;
  return findCompanyList(deps.db, companyId, list_id);
}

/** The results in a tile, by id. If several small parcels are in the same spot, only one is included. */
export async function listTileHits(
  db: Db,
  { body, asking, color }: TileHits,
  inTile: Parameters<FindHits>[0],
): Promise<Map<number, TileHit>> {
  const { county, counties } = body as { county?: number; counties?: number[] };
  const searched = counties ?? (county === undefined ? undefined : [county]);
  // A cluster queries every server whose counties the statement names, so name only the counties needed.
  const fips = inTile.fips.filter(one => searched?.includes(one) ?? true);
  if (fips.length === 0) return new Map();
  const selection = await selectParcels(body, asking, db).catch(undefinedIfRefused);
  if (selection === undefined) return new Map();
  const rows = await listHitsInTile(db, selection, color ?? NO_FIGURE, { ...inTile, fips });
  return new Map(
    rows.map(({ property_id, lon, lat, figure: shown }) => [
      property_id,
      { property_id, lon, lat, tags: { hit: shown === null ? true : twoDigits(shown) } },
    ]),
  );
}

/**
 * Rounds 9,876 down to 9,800, for example. Class bounds also have two digits, so the figure stays in its
 * class.
 */
function twoDigits(figure: number): number {
  if (!(figure > 0)) return figure;
  const scale = 10 ** (Math.floor(Math.log10(figure)) - 1);
  return Number((Math.floor(figure / scale + 1e-9) * scale).toPrecision(2));
}
