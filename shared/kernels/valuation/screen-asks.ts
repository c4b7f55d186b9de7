import { addTo } from '../groups.ts';
import { type Effects, standardLevel } from './effects.ts';
import type { Window } from './latecomers.ts';
import type { Fitted } from './market.ts';
import { fromMiddle, middleOf } from './middle.ts';
import { byCounty, type Regional } from './regional.ts';
import { FEWEST, isUsable, LEAST_MAD, MAD_SHARE, MOST, MOST_Z } from './screen.ts';
import { ACTIVE, type Comps, NO_DAY, PENDING } from './types.ts';

/**
 * Leaves out asking prices that have nothing to do with their market, as sales are: mistyped ones, a dollar for "make an
 * offer". An asking price is compared with the sales of its county that the next sale would be compared with; where these are
 * fewer than 15, with all sales and asking prices of the county, of the state, or of the nation, of the first that has three.
 */

/** The middle of ln(price per acre), brought to one acre, mean land and the model's day, and the median distance from it. */
export type AskBounds = Regional<Bound | null>;
type Bound = { middle: number; spread: number };

const FEWEST_ALIKE = 3;
/**
 * The median distance that is taken where fewer than 15 prices would tell it, of which half may be mistyped. With it a price is
 * left out that is 13 times what the others are, or less than a thirteenth.
 */
const FEW_SPREAD = 0.5;

type Prices = { comps: Comps; asks: readonly number[] };

/**
 * @param known the sales that count
 * @param value of each of them, ln(price per acre) without the effects
 * @param windows by which the next sale of a county would be screened
 */
export function askBoundsOf(
  { sales, effectsOf }: Pick<Fitted, 'sales' | 'effectsOf'>,
  value: Float64Array,
  windows: readonly Window[],
  { comps, asks }: Prices,
): AskBounds {
  const levels = new Map<number, number[]>();
  // Sales stand by county and day: the latest of each.
  for (let i = value.length - 1; i >= 0; i--)
    if ((levels.get(sales.county[i]!)?.length ?? 0) < MOST) addTo(levels, sales.county[i]!, value[i]!);
  for (const i of asks) addTo(levels, comps.county[i]!, askLevel(comps, i, effectsOf(comps.county[i]!)));

  const bySales = new Map(windows.map(({ fips, middle, spread }) => [fips, { middle, spread }]));
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
    counties: told(levels, bySales),
    states: told(states, new Map()),
    nation: boundOf([...levels.values()].flat()),
  };
}

function boundOf(levels: readonly number[]): Bound | null {
  if (levels.length < FEWEST_ALIKE) return null;
  const spread = levels.length < FEWEST ? FEW_SPREAD : Math.max(LEAST_MAD, middleOf(fromMiddle(levels))!);
  return { middle: middleOf(levels)!, spread };
}

/** What is for sale on the day. */
export function openListings(comps: Comps, asOfDay: number): number[] {
  const { count, status, listedDay } = comps;
  const open: number[] = [];
  for (let i = 0; i < count; i++) {
    if (status[i] !== ACTIVE && status[i] !== PENDING) continue;
    if (listedDay[i] !== NO_DAY && listedDay[i]! > asOfDay) continue;
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
      if (bound === null) return true;
      const off = Math.abs(askLevel(comps, i, effectsOf(comps.county[i]!)) - bound.middle);
      return (MAD_SHARE * off) / bound.spread <= MOST_Z;
    }),
  );
}

function askLevel({ price, acres, land }: Comps, i: number, effects: Effects): number {
  return standardLevel(effects, Math.log(price[i]! / acres[i]!), Math.log(acres[i]!), 0, land, i);
}
