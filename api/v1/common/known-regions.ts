import type { Db } from '../../../shared/platform/db.ts';
import { type Details, validationError } from '../../http/error-responses.ts';

/** The codes that a field of a request names: FIPS of 5 digits, or ZIPs. */
export type RegionReference = { field: string; type: 'county' | 'zip'; codes: readonly string[] };

/** Planning regions that took the place of Connecticut's counties in 2022 (Census Bureau, 87 FR 34235). */
const PLANNING_REGIONS: Record<string, string> = {
  '09001': '09120, 09140 and 09190',
  '09003': '09110, 09140 and 09160',
  '09005': '09140, 09160 and 09190',
  '09007': '09130',
  '09009': '09140 and 09170',
  '09011': '09130 and 09180',
  '09013': '09110 and 09150',
  '09015': '09150 and 09180',
};

export function unknownCounty(code: string): string {
  const regions = PLANNING_REGIONS[code];
  return regions === undefined
    ? `No county has the FIPS code ${code}.`
    : `${code} was a county of Connecticut until 2022; it lies in the planning regions ${regions}.`;
}

/** @throws PlatError `validation_error` that names the fields with a county or ZIP that there is not */
export async function requireKnownRegions(db: Db, named: readonly RegionReference[]): Promise<void> {
  const references = named.flatMap(({ type, codes }) => codes.map(code => ({ type, code })));
  if (references.length === 0) return;
  const unknown = await db.run<{ type: string; code: string }>('regions/list_unknown', {
    types: references.map(({ type }) => type),
    codes: references.map(({ code }) => code),
  });
  if (unknown.length === 0) return;
  const details: Details = {};
  for (const { field, type, codes } of named) {
    const missing = codes.filter(code => unknown.some(one => one.type === type && one.code === code));
    if (missing.length === 0) continue;
    details[field] = missing.map(code =>
      type === 'county' ? unknownCounty(code) : `There is no ZIP code ${code}.`,
    );
  }
  throw validationError(details);
}
