import type { RegionFields } from '../../shared/domain/market-stats.ts';
import { uuidV5 } from '../../shared/domain/uuid.ts';
import { PlatError } from '../../shared/errors.ts';
import { allCounties, fiveDigits } from '../../shared/regions/counties.ts';
import { readZips, type Skipped } from './zip-file.ts';

/** A row of table `regions`. `code` is the FIPS or the ZIP; `fips` the county's, for a ZIP that of its county. */
export type RegionRow = {
  id: string;
  type: 'county' | 'zip';
  code: string;
  name: string;
  state: string;
  county_name: string;
  fips: number;
};

/** Every region in the order of (type, code). */
export function regionRows(): { rows: RegionRow[]; skipped: Skipped } {
  const counties = allCounties();
  const countyOf = new Map(counties.map(county => [county.fips, county]));
  const { zips, skipped } = readZips();
  const rows: RegionRow[] = counties.map(({ fips, name, state }) => {
    const code = fiveDigits(fips);
    return { id: uuidV5(`county:${code}`), type: 'county', code, name, state, county_name: name, fips };
  });
  for (const { zip, fips } of zips) {
    const county = countyOf.get(fips);
    if (county === undefined)
      throw new PlatError('regions', `ZIP ${zip} is in county ${fips}, which is unknown.`);
    const { name, state } = county;
    rows.push({
      id: uuidV5(`zip:${zip}`),
      type: 'zip',
      code: zip,
      name: zip,
      state,
      county_name: name,
      fips,
    });
  }
  return { rows, skipped };
}

/** What the API says of a region; the FIPS of a ZIP is empty there. */
export function regionFields({ id, type, code, name, state, county_name }: RegionRow): RegionFields {
  return { id, type, name, state, county_name, fips: type === 'county' ? code : '' };
}
