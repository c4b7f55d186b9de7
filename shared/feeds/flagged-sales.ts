import { z } from 'zod';
import { listingId } from '../model/listing-id.ts';
import { SALE_FLAG_NAMES, type SaleFlag } from '../model/sale-flags.ts';
import { UUID } from '../model/uuid.ts';
import type { Db } from '../platform/db.ts';
import { PlatError } from '../platform/errors.ts';
import { countyCode, enqueueAndNotify, type JobDefinition, RETRY } from '../platform/queue/jobs.ts';
import { countyName, fiveDigits } from '../regions/counties.ts';

const valuationPayload = z.strictObject({ fips: countyCode, asOf: z.iso.date().optional() });

/** Values a county's parcels from nearby sales. */
export const countyValuation: JobDefinition<z.infer<typeof valuationPayload>> = {
  name: 'valuation.county',
  queue: 'valuation',
  payload: valuationPayload,
  key: ({ fips, asOf }) => (asOf === undefined ? fiveDigits(fips) : `${fiveDigits(fips)}@${asOf}`),
  ...RETRY,
};

/**
 * The number of a county's sales that its valuation used (null before the first valuation), and the number
 * of its sales with each flag.
 */
export type SaleCounts = { used: number | null; flagged: { flag: SaleFlag; sales: number }[] };

export async function countFlaggedSales(db: Db, fips: number): Promise<SaleCounts> {
  type Row = { used: number | null; flagged: Partial<Record<SaleFlag, number>> };
  const [row] = await db.run<Row>('valuation/count_flagged', { fips });
  const { used, flagged } = row!;
  return {
    used,
    flagged: SALE_FLAG_NAMES.flatMap(flag => (flagged[flag] ? [{ flag, sales: flagged[flag] }] : [])),
  };
}

export type CountySale = {
  /** The listing's id. If the sale isn't a listing, its id in the source. */
  id: string;
  apn: string;
  /** 'YYYY-MM-DD' */
  sold_date: string | null;
  price: number;
  acres: number | null;
};
export type FlaggedSale = CountySale & { flag: SaleFlag; code: string | null };
export type SaleOverride = CountySale & { used: boolean; decided_by: string; decided_at: Date };

/** `apn`: finds only sales of this parcel number; `limit`: maximum number of sales per flag. */
type Which = { fips: number; apn: string | null; limit: number };

const plainNumber = (apn: string | null) => apn?.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase() ?? null;

export const listFlaggedSales = (db: Db, { fips, apn, limit }: Which): Promise<FlaggedSale[]> =>
  db.run<FlaggedSale>('valuation/list_flagged', { fips, apn: plainNumber(apn), limit });

/** Sales that have neither a flag nor an operator's decision. */
export const listUnflaggedSales = (db: Db, { fips, apn, limit }: Which): Promise<CountySale[]> =>
  db.run<CountySale>('valuation/list_unflagged', { fips, apn: plainNumber(apn), limit });

export const listSaleOverrides = (db: Db, fips: number): Promise<SaleOverride[]> =>
  db.run<SaleOverride>('valuation/list_overrides', { fips });

export type SaleDecision = {
  fips: number;
  /** `id` of a CountySale. */
  id: string;
  /** Whether valuations use the sale. Null to let Plat decide again. */
  used: boolean | null;
  /** Email of the operator, for the audit table. */
  by: string;
};

/**
 * Stores or removes an operator's decision about a sale, and enqueues the county's valuation.
 * @throws PlatError `not_found` if the county has no such sale or decision
 */
export async function decideSale(db: Db, { fips, id, used, by }: SaleDecision): Promise<void> {
  await db.transaction(async tx => {
    const listing = UUID.test(id) ? id : await storeUnqualifiedSale(tx, fips, id);
    const rows =
      listing === null
        ? []
        : used === null
          ? await tx.run('valuation/delete_override', { fips, id: listing, by })
          : await tx.run('valuation/store_override', { fips, id: listing, used, by });
    if (rows.length === 0)
      throw new PlatError('not_found', 'This sale has changed. Reload the page.', { status: 404 });
    // Nearby counties' valuations use the sale, too.
    await tx.run('valuation/mark_land', { fips });
  });
  await enqueueAndNotify(db, countyValuation, { fips });
}

type UnstoredSale = { source: string; source_id: string } & Record<string, string | number | null>;

/** Stores a sale from the roll as a listing. @returns the listing's id; null if there is no such sale */
async function storeUnqualifiedSale(db: Db, fips: number, sourceId: string): Promise<string | null> {
  const [sale] = await db.run<UnstoredSale>('valuation/get_unstored_sale', { fips, source_id: sourceId });
  if (sale === undefined) return null;
  const id = listingId(sale.source, sale.source_id);
  const county = countyName(fips);
  await db.run('valuation/store_unqualified_sale', { ...sale, id, fips, county, type: 'Not qualified' });
  return id;
}
