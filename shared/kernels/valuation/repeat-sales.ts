import { addToGroup } from '../groups.ts';
import type { Comps } from './valuation-types.ts';

/**
 * In Detroit, 438 pairs of consecutive sales of a lot have the same price and are up to a year apart. Of
 * these, 392 are up to 30 days apart, and 420 are up to 90 days apart.
 */
const MAX_DAYS_APART = 90;

export type RepeatSales = {
  /**
   * Second records of a sale: the same lot at the same price within 90 days. A deed can have two dates,
   * signing and recording. If both records were used, a past sale would be valued from its own price.
   */
  twoDates: ReadonlySet<number>;
  /** Sales of lots that were sold again within 90 days at a different price. */
  resold: ReadonlySet<number>;
};

/** @param sales from `usableSales`, without duplicates from other feeds */
export function findRepeatSales(comps: Comps, sales: Iterable<number>): RepeatSales {
  const { lot, soldDay, price, county, approved } = comps;
  const twoDates = new Set<number>();
  const resold = new Set<number>();
  if (lot === undefined) return { twoDates, resold };
  const lots = new Map<string, number[]>();
  for (const sale of sales)
    if (!Number.isNaN(lot[sale]!)) addToGroup(lots, `${county[sale]}/${lot[sale]}`, sale);
  for (const own of lots.values()) {
    let kept = own[0]!;
    for (const sale of own.slice(1)) {
      const isSoon = soldDay[sale]! - soldDay[kept]! <= MAX_DAYS_APART;
      if (isSoon && price[sale] === price[kept] && !approved?.[sale]) {
        twoDates.add(sale);
        continue;
      }
      if (isSoon && price[sale] !== price[kept]) resold.add(kept);
      kept = sale;
    }
  }
  return { twoDates, resold };
}
