import { expect, test } from 'vitest';
import type { Comps } from '../../../../shared/kernels/valuation/valuation-types.ts';
import { createValuer } from '../../../../shared/kernels/valuation/value-parcel.ts';
import { emptyComps, fitTo, generateSales, joined, MARKET } from '../../../support/sales.ts';

const { asOfDay, county, west, south } = MARKET;
const FAR = west + 8;

/** Comps of 3 acres, 80 meters from one another. */
function alike(count: number, price: number, lon: number): Comps {
  const comps = emptyComps(count);
  comps.lon.set(comps.lon.map((_, i) => lon + 0.2 + i / 1_000));
  comps.lat.fill(south + 0.2);
  comps.acres.fill(3);
  comps.price.fill(price);
  comps.county.fill(county);
  comps.soldDay.fill(asOfDay);
  return comps;
}
const parcel = { lon: FAR + 0.2, lat: south + 0.2, acres: 3 };
const SALES = generateSales(MARKET, 600, 1);

test.each([3, 4, 8])(
  'equal sales beside the parcel nearly give that price, whatever the rest of the county brings: %i of them',
  count => {
    // Land of that size brings 12,000 there.
    const comps = joined(SALES, alike(count, 30_000, FAR));
    const { meanAdjustedPrice } = createValuer(fitTo(comps, asOfDay).model)(parcel)!;
    // The neighborhood's level leans a little on the rest.
    expect(Math.abs(meanAdjustedPrice / 30_000 - 1)).toBeLessThan(count === 8 ? 0.06 : 0.12);
  },
);
