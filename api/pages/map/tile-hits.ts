import { type FoundList, findCompanyList } from '../../../shared/lists/list-statements.ts';
import { UUID } from '../../../shared/model/uuid.ts';
import type { FilterBody } from '../../../shared/parcels/filter/declare-filter.ts';
import { filterSchema } from '../../../shared/parcels/filter/filter-schema.ts';
import { listHitsInTile } from '../../../shared/parcels/filter/hit-statements.ts';
import { type Asking, selectParcels } from '../../../shared/parcels/filter/select-parcels.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { undefinedIfRefused } from '../../http/error-responses.ts';
import { requireAccount, type Visit } from '../frame/visit.ts';
import { listCounties, readFilters } from '../parts/read-filters.ts';
import { type Color, colorOf, NO_FIGURE } from './map-colors.ts';

export type TileHits = {
  /** The same for the same hits in the same colors. */
  key: string;
  body: FilterBody;
  asking: Asking;
  color: Color | undefined;
};

/** `hit`: the figure by which it is colored, else `true`. */
export type TileHit = { property_id: number; lon: number; lat: number; tags: { hit: number | true } };

/** The search of an address; undefined where it has none, or one that is refused. */
export async function readTileHits(visit: Visit): Promise<TileHits | undefined> {
  const { filters, fault } = await readFilters(visit, () => listCounties(visit));
  const { order: _, ...asked } = filters;
  if (fault !== undefined || Object.keys(asked).length === 0) return undefined;
  const body = filterSchema.safeParse(asked).data;
  if (body === undefined) return undefined;
  const color = colorOf(visit.url.searchParams.get('color'));
  const asking = await askedOnPage(visit, body);
  const list = await findListAsked(visit, body, asking);
  // Months and years of filters are counted in days.
  const key = JSON.stringify([asked, list?.updated_at, color?.name, asking.asOf.toISOString().slice(0, 10)]);
  return { key, body, asking, color };
}

/** Who asks on a page, and when; with the company where a list of it is asked for. */
export async function askedOnPage(visit: Visit, { list_id }: FilterBody): Promise<Asking> {
  const asking = { asOf: visit.deps.now(), work: visit.work };
  return list_id === undefined ? asking : { ...asking, companyId: (await requireAccount(visit)).companyId };
}

/** The list that a search is of; undefined for another search, or a list that the company does not have. */
export async function findListAsked(
  { deps }: Visit,
  { list_id }: FilterBody,
  { companyId }: Asking,
): Promise<FoundList | undefined> {
  if (typeof list_id !== 'string' || !UUID.test(list_id)) return undefined;
  return findCompanyList(deps.db, companyId, list_id);
}

/** The hits in a tile by their ids; of small ones that would lie on each other one. */
export async function listTileHits(
  db: Db,
  { body, asking, color }: TileHits,
  inTile: { fips: readonly number[]; box: string; least_area: number; dots: number },
): Promise<Map<number, TileHit>> {
  const { county, counties } = body as { county?: number; counties?: number[] };
  const asked = counties ?? (county === undefined ? undefined : [county]);
  // A cluster asks the servers of all counties that a statement names, whatever else the filter says.
  const fips = inTile.fips.filter(one => asked?.includes(one) ?? true);
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

/** Rounded down, which leaves it in its class, whose bounds have two as well: 9,876 is 9,800. */
function twoDigits(figure: number): number {
  if (!(figure > 0)) return figure;
  const scale = 10 ** (Math.floor(Math.log10(figure)) - 1);
  return Number((Math.floor(figure / scale + 1e-9) * scale).toPrecision(2));
}
