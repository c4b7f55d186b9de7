import type { KnownSales } from '../../shared/kernels/valuation/same-sale.ts';
import { MIN_ACRES } from '../../shared/kernels/valuation/screen.ts';
import { MIN_SALE_PRICE, type SaleFlag, SEVERAL_PARCELS } from '../../shared/model/sale-flags.ts';
import type { Db } from '../../shared/platform/db.ts';
import { literal } from '../../shared/platform/statements.ts';
import type { StoredComps } from './valuation-comps.ts';

type Fitted = { comps: StoredComps; known: KnownSales; excluded: ReadonlySet<number> };

/**
 * Replaces the flags of a county's sales, and the stored number of its sales that the valuation uses.
 * @param fitted `excluded`: the sales that the model doesn't use; null if the county wasn't valued
 */
export async function storeSaleFlags(db: Db, fips: number, fitted: Fitted | null): Promise<void> {
  await db.run('valuation/delete_flagged', { fips });
  const { ids, flags, used } = fitted === null ? NONE : flagsOf(fips, fitted);
  const least_acres = MIN_ACRES;
  await db.run('valuation/flag_sales', { fips, ids, flags, least_acres });
  await db.run('valuation/flag_set_aside', { fips, several: SEVERAL_PARCELS });
  await flagUnqualified(db, fips);
  await db.run('valuation/store_used_count', { fips, used });
}

const NONE = { ids: [], flags: [], used: null };

/** The ids and flags of a county's sales that the model flags, in pairs, and the number of sales it uses. */
function flagsOf(fips: number, { comps, known, excluded }: Fitted) {
  const { usable, second, twoDates, resold } = known;
  const own = [...usable].filter(sale => comps.county[sale] === fips);
  const flagOf = (sale: number): SaleFlag | null => {
    if (second.has(sale)) return 'duplicate';
    if (twoDates.has(sale)) return 'two_dates';
    if (excluded.has(sale)) return 'outlier';
    return resold.has(sale) ? 'resale' : null;
  };
  const ids: string[] = [];
  const flags: SaleFlag[] = [];
  for (const sale of own) {
    const flag = flagOf(sale);
    if (flag === null) continue;
    ids.push(Buffer.from(comps.ids.subarray(16 * sale, 16 * sale + 16)).toString('hex'));
    flags.push(flag);
  }
  return { ids, flags, used: own.filter(sale => !excluded.has(sale)).length };
}

/** Flags sales on the county's rolls that don't meet their feeds' conditions. */
async function flagUnqualified(db: Db, fips: number): Promise<void> {
  const labels = await db.run<{ feed_id: number; source: string }>('valuation/list_roll_labels', { fips });
  if (labels.length === 0) return;
  await db.run(
    'valuation/flag_unqualified',
    {},
    {
      fips: literal(fips),
      feeds: literal(labels.map(({ feed_id }) => feed_id)),
      labels: literal(labels.map(({ source }) => source)),
      least_price: literal(MIN_SALE_PRICE),
    },
  );
  await db.run('valuation/unflag_stored_sales', { fips });
}
