import type { Box } from '../../shared/geo/geometry-types.ts';
import { countyOf } from '../../shared/model/property-id.ts';
import type { FilterBody } from '../../shared/parcels/filter/declare-filter.ts';
import { SCOPES } from '../../shared/parcels/filter/filter-schema.ts';
import { selectParcels } from '../../shared/parcels/filter/select-parcels.ts';
import type { Db } from '../../shared/platform/db.ts';
import type { CallContext } from '../http/endpoint.ts';
import { validationError } from '../http/error-responses.ts';
import { type Page, type PageResult, toPageResult } from '../http/paging.ts';
import { checkInput } from '../http/validate.ts';
import { parcelSummary, SUMMARY_COLUMNS, type SummaryRow, toSummary } from '../v1/common/parcel-summary.ts';
import { listHits } from '../v1/parcels/filter/filter-hits.ts';
import { filterParcels } from '../v1/parcels/filter/filter-parcels.ts';
import { requireFilterRegions } from '../v1/parcels/filter/filter-regions.ts';
import {
  areaGeometry,
  type Collection,
  type Feature,
  type ItemsRequest,
  NO_FEATURES,
  pageOfOne,
  pointGeometry,
} from './collection-parts.ts';
import { filterOf, PARCEL_QUERYABLES } from './parcel-conditions.ts';

export const parcelItems: Collection = {
  title: 'Parcels',
  description:
    'Parcels on the roll with their boundaries, in order of id. The properties are those of a parcel in `properties/filter/`. A parcel without a boundary is a point.',
  queryables: PARCEL_QUERYABLES,
  properties: parcelSummary.omit({ point: true }),
  async list({ boxes, conditions, page }: ItemsRequest, { db }, call) {
    const body = bodyOf(filterOf(conditions), boxes);
    if (boxes?.length === 0) return NO_FEATURES;
    return readParcels(body, page, db, call);
  },
  async find(id, { db }, call) {
    if (!/^[0-9]{1,15}$/.test(id)) return undefined;
    const { rows } = await readParcels({ property_id: Number(id) }, pageOfOne(call.now), db, call);
    return rows[0];
  },
};

/**
 * A body that has been checked like that of properties/filter/. Without conditions, the collection can be
 * read from start to end, because that is the order in which parcels are stored.
 */
function bodyOf(filter: Record<string, unknown>, boxes: readonly Box[] | undefined): FilterBody {
  const body = { ...filter, ...(boxes && boxes.length > 0 && { geom_intersects: wktOf(boxes) }) };
  const names = Object.keys(body);
  if (names.length === 0) return body;
  if (boxes === undefined && !SCOPES.some(scope => names.includes(scope)))
    throw validationError({
      filter: [`needs a bbox, or one of ${SCOPES.filter(name => name in PARCEL_QUERYABLES).join(', ')}`],
    });
  return checkInput(filterParcels, { params: {}, query: {}, body }).body as FilterBody;
}

const wktOf = (boxes: readonly Box[]): string =>
  `MULTIPOLYGON (${boxes.map(([w, s, e, n]) => `((${w} ${s}, ${e} ${s}, ${e} ${n}, ${w} ${n}, ${w} ${s}))`).join(', ')})`;

async function readParcels(
  body: FilterBody,
  page: Page,
  db: Db,
  { account, work, appUrl }: CallContext,
): Promise<PageResult<Feature>> {
  await requireFilterRegions(db, body);
  const selection = await selectParcels(body, { asOf: page.asOf, companyId: account.companyId, work }, db);
  const hits = await listHits(db, selection, page, 'property_id');
  const { next, rows } = toPageResult(page, hits, 0, hit => [hit.property_id]);
  const ids = rows.map(hit => hit.property_id);
  return { ...NO_FEATURES, next, rows: await readFeatures(db, ids, appUrl) };
}

type Row = SummaryRow & { boundary: Buffer | null };

async function readFeatures(db: Db, ids: readonly number[], appUrl: string): Promise<Feature[]> {
  if (ids.length === 0) return [];
  const rows = await db.run<Row>(
    'parcels/read_summaries',
    { property_ids: ids, counties: [...new Set(ids.map(countyOf))] },
    { summary: `${SUMMARY_COLUMNS}, p.boundary` },
  );
  const byId = new Map(rows.map(row => [row.property_id, row]));
  return ids.flatMap(id => featureOf(byId.get(id), appUrl) ?? []);
}

function featureOf(row: Row | undefined, appUrl: string): Feature | undefined {
  if (row === undefined) return undefined;
  const { boundary, lon_e7, lat_e7 } = row;
  const { point: _point, ...properties } = toSummary(row, appUrl);
  const geometry = boundary === null ? pointGeometry(lon_e7, lat_e7) : areaGeometry(boundary);
  return { type: 'Feature', id: row.property_id, geometry, properties };
}
