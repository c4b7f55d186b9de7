import { addTo } from '../groups.ts';
import { type Bound, boundOf, isBeyond, MOST } from './bound.ts';
import { type Effects, standardLevel } from './effects.ts';
import type { Fitted } from './market.ts';
import { byCounty, type Regional } from './regional.ts';
import { isUsable } from './screen.ts';
import { ACTIVE, type Comps, NO_DAY, PENDING } from './types.ts';

/**
 * Leaves out asking prices that have nothing to do with their market, as sales are: mistyped ones, a dollar for "make an
 * offer". An asking price is compared with the sales of its county that the next sale would be compared with; where these are
 * fewer than 15, with all sales and asking prices of the county, of the state, or of the nation, of the first that has three.
 */

/** Of ln(price per acre), brought to one acre, mean land and the model's day. */
export type AskBounds = Regional<Bound | null>;

type Prices = { comps: Comps; asks: readonly number[] };

/**
 * @param known the sales that count
 * @param value of each of them, ln(price per acre) without the effects
 * @param windows by which the next sale of a county would be screened
 */
export function askBoundsOf(
  { sales, effectsOf }: Pick<Fitted, 'sales' | 'effectsOf'>,
  value: Float64Array,
  windows: ReadonlyMap<number, Bound>,
  { comps, asks }: Prices,
): AskBounds {
  const levels = new Map<number, number[]>();
  // Sales stand by county and day: the latest of each.
  for (let i = value.length - 1; i >= 0; i--)
    if ((levels.get(sales.county[i]!)?.length ?? 0) < MOST) addTo(levels, sales.county[i]!, value[i]!);
  for (const i of asks) addTo(levels, comps.county[i]!, askLevel(comps, i, effectsOf(comps.county[i]!)));

  const states = new Map<number, number[]>();
  for (const [county, own] of levels) {
    const state = Math.floor(county / 1000);
    states.set(state, (states.get(state) ?? []).concat(own));
  }
  const told = (of: ReadonlyMap<number, number[]>, better: ReadonlyMap<number, Bound>) =>
    [...of].flatMap(([code, own]): [number, Bound][] => {
      const bound = better.get(code) ?? boundOf(own);
      return bound === null ? [] : [[code, bound]];
    });
  return {
    counties: told(levels, windows),
    states: told(states, new Map()),
    nation: boundOf([...levels.values()].flat()),
  };
}

/** What was asked longer ago is no price of today: it asks too much, or was sold or withdrawn without its source saying so. */
const MOST_DAYS_LISTED = 365;

/** What is for sale on the day; of an unknown day of listing, what its source says is. */
export function openListings(comps: Comps, asOfDay: number): number[] {
  const { count, status, listedDay } = comps;
  const open: number[] = [];
  for (let i = 0; i < count; i++) {
    if (status[i] !== ACTIVE && status[i] !== PENDING) continue;
    if (listedDay[i] !== NO_DAY && (listedDay[i]! > asOfDay || listedDay[i]! < asOfDay - MOST_DAYS_LISTED))
      continue;
    if (isUsable(comps, i)) open.push(i);
  }
  return open;
}

/** Those of the asking prices that do not stand against their market. */
export function soundAsks(
  { comps, asks }: Prices,
  bounds: AskBounds,
  effectsOf: (county: number) => Effects,
): Int32Array {
  const boundOfCounty = byCounty(bounds);
  return Int32Array.from(
    asks.filter(i => {
      const bound = boundOfCounty(comps.county[i]!);
      return bound === null || !isBeyond(askLevel(comps, i, effectsOf(comps.county[i]!)), bound);
    }),
  );
}

function askLevel({ price, acres, land }: Comps, i: number, effects: Effects): number {
  return standardLevel(effects, Math.log(price[i]! / acres[i]!), Math.log(acres[i]!), 0, land, i);
}
