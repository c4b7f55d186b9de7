import { expect, test } from 'vitest';
import { fitModel, restoreModel } from '../../../../shared/kernels/valuation/model.ts';
import { ACTIVE, type Comps, NO_DAY, SOLD } from '../../../../shared/kernels/valuation/types.ts';
import { createValuer } from '../../../../shared/kernels/valuation/value-parcel.ts';
import { emptyComps, generateSales, joined, MARKET } from '../../../support/generated-sales.ts';

const { asOfDay, county, west, south } = MARKET;
const [FAR, FAR_COUNTY] = [west + 8, 19_155];

/** Comps of 3 acres, 80 metres from one another. */
function alike(count: number, price: number, status = SOLD, lon = west, fips = county): Comps {
  const comps = emptyComps(count);
  comps.lon.set(comps.lon.map((_, i) => lon + 0.2 + i / 1_000));
  comps.lat.fill(south + 0.2);
  comps.acres.fill(3);
  comps.price.fill(price);
  comps.county.fill(fips);
  comps.status.fill(status);
  comps.soldDay.fill(status === SOLD ? asOfDay : NO_DAY);
  return comps;
}
const parcel = (lon = west, fips = county) => ({ lon: lon + 0.2, lat: south + 0.2, acres: 3, county: fips });
const SALES = generateSales(MARKET, 600, 1);

test.each([
  ['no sale was known', alike(100, 42_000, ACTIVE), alike(4, 40_000), parcel(), 1.02],
  ['the county had none', SALES, alike(4, 200_000, SOLD, FAR, FAR_COUNTY), parcel(FAR, FAR_COUNTY), 1.15],
])('a refresh after new sales is near a fresh fit: %s', (_, known, late, subject, most) => {
  const { parameters, outliers } = fitModel(known, asOfDay);
  const all = joined(known, late);
  const refreshed = createValuer(restoreModel(parameters, all, outliers))(subject)!.meanAdjustedPrice;
  const fresh = createValuer(fitModel(all, asOfDay).model)(subject)!.meanAdjustedPrice;
  expect(Math.max(refreshed / fresh, fresh / refreshed)).toBeLessThan(most);
});

test.each([3, 4, 8])(
  'equal sales beside the parcel give that price, whatever the rest of the county brings: %i of them',
  count => {
    // Land of that size brings 12,000 there.
    const comps = joined(SALES, alike(count, 30_000, SOLD, FAR));
    const { meanAdjustedPrice } = createValuer(fitModel(comps, asOfDay).model)(parcel(FAR))!;
    expect(Math.abs(meanAdjustedPrice / 30_000 - 1)).toBeLessThan(0.005);
  },
);
