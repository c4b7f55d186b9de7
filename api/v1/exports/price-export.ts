import {
  type ExportFormat,
  type ExportRequest,
  kindOf,
  mostRows,
  needsOffer,
  priceOf,
  rowsPerOf,
} from '../../../shared/exports/export-request.ts';
import {
  findListOf,
  type Hits,
  hitsOfFilter,
  hitsOfList,
  hitsOfOwners,
} from '../../../shared/exports/parcel-hits.ts';
import { isGrouped } from '../../../shared/lists/list-terms.ts';
import { listPricedRows } from '../../../shared/lists/read-offers.ts';
import { areasOf, openArea } from '../../../shared/market/comps-area.ts';
import { compsRequest } from '../../../shared/market/comps-query.ts';
import { selectComps } from '../../../shared/market/select-comps.ts';
import { costOf } from '../../../shared/model/prices.ts';
import type { FilterBody } from '../../../shared/parcels/filter/declare-filter.ts';
import { filterSchema } from '../../../shared/parcels/filter/filter-schema.ts';
import { selectParcels } from '../../../shared/parcels/filter/select-parcels.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { PlatError } from '../../../shared/platform/errors.ts';
import { sql } from '../../../shared/platform/statements.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { validationError } from '../../http/error-responses.ts';
import { inField } from '../common/in-field.ts';
import { requireKnownRegions } from '../common/known-regions.ts';
import { requireFilterRegions } from '../parcels/filter/filter-regions.ts';
import { MIN_DISCLOSED_COUNT } from '../parcels/filter/withhold-counts.ts';

/**
 * The number of rows (or markets) in a file, and how many of them are free. `bound` is the highest price that
 * may be disclosed for a list that hides its rows.
 */
export type ExportPrice = { rows: number; free_rows: number; tokens: number; bound: number | null };

type At = Pick<CallContext, 'now' | 'work'>;

type Counted = { rows: number; free: number; bound?: number | null };

/**
 * The current price of an export.
 * @throws PlatError `validation_error` if it can't be exported, `unprocessable` like the filter
 */
export async function priceExport(
  db: Db,
  companyId: string,
  request: ExportRequest,
  at: At,
): Promise<ExportPrice> {
  const kind = kindOf(request);
  const field = request.list_id !== undefined ? 'list_id' : kind === 'owners' ? 'filter' : kind;
  const count = kind === 'comps' ? countComps : kind === 'markets' ? countMarkets : countParcels;
  const { rows, free, bound = null } = await count(db, companyId, request, at);
  const most = mostRows(request.format);
  if (rows > most) throw most < mostRows('csv') ? tooManyFor(request.format) : tooMany(field);
  return { rows, free_rows: free, tokens: costOf(priceOf(kind), rows - free), bound };
}

const tooManyFor = (format: ExportFormat): PlatError =>
  validationError({
    format: [
      `allows up to ${mostRows(format)} rows for ${format}, and there are more. Export fewer, or choose another format`,
    ],
  });

const tooMany = (field: string): PlatError =>
  validationError({
    [field]: [
      `matches more than ${mostRows('csv')} rows, the limit of one file. Narrow it, or create several exports`,
    ],
  });

/** Counting stops at one more row than a file can have. */
const ENOUGH = mostRows('csv') + 1;

async function countParcels(db: Db, companyId: string, request: ExportRequest, at: At): Promise<Counted> {
  const { hits, found, values, bound } = await hitsOf(db, companyId, request, at);
  const [counted] = await db.run<Counted & { found: number }>(
    'exports/count_rows',
    { ...values, company_id: companyId },
    { hits, found },
  );
  if (counted!.found >= ENOUGH) throw tooMany(request.list_id === undefined ? 'filter' : 'list_id');
  return { ...counted!, bound };
}

async function hitsOf(
  db: Db,
  companyId: string,
  request: ExportRequest,
  { now: asOf, work }: At,
): Promise<Hits & { bound: number | null }> {
  const { list_id, filter, status } = request;
  if (list_id !== undefined) {
    const found = await findListOf(db, companyId, list_id);
    if (found === undefined)
      throw validationError({ list_id: ["is not the id of one of your company's lists"] });
    const list = { ...found, ...rowsPerOf(request, found) };
    const among = needsOffer(request) ? await listPricedRows(db, companyId, list) : undefined;
    const hits = await hitsOfList(db, list, { companyId, status, among });
    return { ...hits, bound: list.rows_at_most && Math.max(list.rows_at_most, MIN_DISCLOSED_COUNT) };
  }
  const body = filterSchema.parse(filter) as FilterBody;
  const selection = await inField('filter', async () => {
    await requireFilterRegions(db, body);
    return selectParcels(body, { asOf, companyId, work }, db);
  });
  const rowsPer = rowsPerOf(request);
  const hits = isGrouped(rowsPer)
    ? hitsOfOwners(selection, companyId, rowsPer, ENOUGH)
    : hitsOfFilter(selection, ENOUGH);
  return { ...hits, bound: null };
}

async function countComps(
  db: Db,
  companyId: string,
  { comps }: ExportRequest,
  { now: asOf, work }: At,
): Promise<Counted> {
  const query = compsRequest.parse(comps);
  const { where, values } = await inField('comps', async () => {
    const areas = await areasOf(query, work);
    const { fips, zip } = query;
    await requireKnownRegions(db, [
      { field: 'fips', type: 'county', codes: fips === undefined ? [] : [fips] },
      { field: 'zip', type: 'zip', codes: zip === undefined ? [] : [zip] },
    ]);
    return selectComps(query, await Promise.all(areas.map(area => openArea(area, db, work))), asOf);
  });
  const [counted] = await db.run<Counted>(
    'exports/count_comps',
    { ...values, company_id: companyId, most: ENOUGH },
    { figures: sql('market/comp_figures'), where },
  );
  return counted!;
}

async function countMarkets(db: Db, companyId: string, { markets }: ExportRequest): Promise<Counted> {
  const known = await db.run<{ id: string; has_stats: boolean; free: boolean }>('exports/count_markets', {
    company_id: companyId,
    ids: markets,
  });
  const found = new Set(known.map(({ id }) => id));
  const unknown = markets!.filter(id => !found.has(id));
  if (unknown.length > 0)
    throw validationError({ markets: unknown.map(id => `${id} is not a region id`).slice(0, 20) });
  const stats = known.filter(market => market.has_stats);
  return { rows: stats.length, free: stats.filter(market => market.free).length };
}
