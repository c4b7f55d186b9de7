import { effectsByCounty, type RegionalEffects, standardLevel } from './effects.ts';
import { DAYS_A_YEAR, type Market } from './market.ts';
import { middleOf } from './middle.ts';
import { FEWEST, LEAST_MAD, MAD_SHARE, MOST, MOST_Z, YEAR_DAYS } from './screen.ts';

/**
 * What the latest sales of a county say of the next one: the middle of their ln(price per acre), brought to one acre, mean
 * land and the model's day by the county's effects, and the median distance from it.
 */
export type Window = { fips: number; middle: number; spread: number };

export type LateSale = {
  county: number;
  day: number;
  acres: number;
  price: number;
  /** LAND_TERMS terms of its land, NaN where unknown. */
  land?: Float64Array;
};

/**
 * The windows by which sales that come after the fit are screened: of each county the sales of the year before the
 * model's day, filled up and bounded as for the others. A county with fewer sales than that has none.
 * @param value of each sale, ln(price per acre) without the effects
 */
export function windowsOf(
  { county, day }: Pick<Market, 'county' | 'day'>,
  value: Float64Array,
  asOfDay: number,
): Window[] {
  const windows: Window[] = [];
  // Sales stand by county and day.
  for (let first = 0; first < county.length; ) {
    const fips = county[first]!;
    let end = first;
    let recent = 0;
    for (; end < county.length && county[end] === fips; end++) if (day[end]! > asOfDay - YEAR_DAYS) recent++;
    const size = Math.min(MOST, Math.max(FEWEST, recent));
    if (end - first >= size) {
      const levels = value.slice(end - size, end);
      const middle = middleOf(levels)!;
      const spread = middleOf(levels.map(level => Math.abs(level - middle)))!;
      windows.push({ fips, middle, spread: Math.max(LEAST_MAD, spread) });
    }
    first = end;
  }
  return windows;
}

/** Of the model's parameters what late sales are judged by. */
type Screen = { windows: readonly Window[]; effects: RegionalEffects; asOfDay: number };

/** Whether a sale that came after the fit lies as far from the sales of its county as the outliers of the fit. */
export function isLateOutlier(
  { windows, effects, asOfDay }: Screen,
  { county, day, acres, price, land }: LateSale,
): boolean {
  const window = windows.find(({ fips }) => fips === county);
  if (window === undefined) return false;
  const years = (day - asOfDay) / DAYS_A_YEAR;
  const own = effectsByCounty(effects)(county);
  const level = standardLevel(own, Math.log(price / acres), Math.log(acres), years, land, 0);
  return (MAD_SHARE * Math.abs(level - window.middle)) / window.spread > MOST_Z;
}
