import type { Estimate, Shrunk } from './shrink.ts';

/** A figure of each county that tells one, of each state by the first two digits of FIPS, and of all others. */
export type Regional<T> = { counties: [fips: number, T][]; states: [code: number, T][]; nation: T };

/** The figure of any county: its own, else its state's, else the nation's. */
export function byCounty<T>({ counties, states, nation }: Regional<T>): (county: number) => T {
  const own = new Map(counties);
  const ofState = new Map(states);
  return county => own.get(county) ?? ofState.get(Math.floor(county / 1000)) ?? nation;
}

/** @param of what is kept of an estimate; the county is -1 where it is of a state or the nation */
export function regional<T>(
  { counties, states, nation }: Shrunk,
  of: (estimate: Estimate, county: number) => T,
): Regional<T> {
  return {
    counties: [...counties].map(([fips, estimate]) => [fips, of(estimate, fips)]),
    states: [...states].map(([code, estimate]) => [code, of(estimate, -1)]),
    nation: of(nation, -1),
  };
}
