import { addTo } from '../groups.ts';
import { type Bound, boundElsewhere, boundOf, FEWEST, isBeyond, MOST } from './bound.ts';
import { effectsByCounty, type RegionalEffects, standardLevel } from './effects.ts';
import { DAYS_A_YEAR, type Market } from './market.ts';
import { byCounty, type Regional } from './regional.ts';
import { YEAR_DAYS } from './screen.ts';

/**
 * What the latest sales say of the next one, brought to one acre, mean land and the model's day by the county's effects: those of
 * its county, of its state where the county has fewer than three, or of the nation.
 */
export type SaleBounds = Regional<Bound | null>;

export type LateSale = {
  county: number;
  day: number;
  acres: number;
  price: number;
  /** LAND_TERMS terms of its land, NaN where unknown. */
  land?: Float64Array;
};

/**
 * Of each county that has as many, the sales of the year before the model's day, filled up and bounded as for the others.
 * @param value of each sale, ln(price per acre) without the effects
 */
export function windowsOf(
  { county, day }: Pick<Market, 'county' | 'day'>,
  value: Float64Array,
  asOfDay: number,
): Map<number, Bound> {
  const windows = new Map<number, Bound>();
  // Sales stand by county and day.
  for (let first = 0; first < county.length; ) {
    const fips = county[first]!;
    let end = first;
    let recent = 0;
    for (; end < county.length && county[end] === fips; end++) if (day[end]! > asOfDay - YEAR_DAYS) recent++;
    const size = Math.min(MOST, Math.max(FEWEST, recent));
    if (end - first >= size) windows.set(fips, boundOf(value.subarray(end - size, end))!);
    first = end;
  }
  return windows;
}

/** The same, and bounds of the counties that have fewer sales. */
export function saleBoundsOf(
  { county, day }: Pick<Market, 'county' | 'day'>,
  value: Float64Array,
  windows: ReadonlyMap<number, Bound>,
): SaleBounds {
  // Sales stand by county and day: the latest of each, by day.
  const taken = new Map<number, number>();
  const latest: number[] = [];
  for (let i = county.length - 1; i >= 0; i--) {
    const already = taken.get(county[i]!) ?? 0;
    taken.set(county[i]!, already + 1);
    if (already < MOST) latest.push(i);
  }
  latest.sort((a, b) => day[a]! - day[b]! || a - b);
  const counties = new Map<number, number[]>();
  const states = new Map<number, number[]>();
  for (const i of latest) {
    if (!windows.has(county[i]!)) addTo(counties, county[i]!, value[i]!);
    addTo(states, Math.floor(county[i]! / 1000), value[i]!);
  }
  const told = (of: ReadonlyMap<number, number[]>, boundBy: (levels: number[]) => Bound | null) =>
    [...of].flatMap(([code, levels]): [number, Bound][] => {
      const bound = boundBy(levels);
      return bound === null ? [] : [[code, bound]];
    });
  return {
    counties: [...windows, ...told(counties, boundOf)],
    states: told(states, boundElsewhere),
    nation: boundElsewhere(latest.slice(-MOST).map(i => value[i]!)),
  };
}

/** Of the model's parameters what late sales are judged by. */
type Screen = { saleBounds: SaleBounds; effects: RegionalEffects; asOfDay: number };

/** Whether a sale that came after the fit stands against its market as the outliers of the fit do. */
export function isLateOutlier(
  { saleBounds, effects, asOfDay }: Screen,
  { county, day, acres, price, land }: LateSale,
): boolean {
  const bound = byCounty(saleBounds)(county);
  if (bound === null) return false;
  const years = (day - asOfDay) / DAYS_A_YEAR;
  const own = effectsByCounty(effects)(county);
  return isBeyond(standardLevel(own, Math.log(price / acres), Math.log(acres), years, land, 0), bound);
}
