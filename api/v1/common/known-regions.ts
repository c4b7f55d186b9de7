import type { Db } from '../../../shared/platform/db.ts';
import { type Details, validationError } from '../../http/error-responses.ts';

/** The codes in a request field: 5-digit FIPS codes or ZIP codes. */
export type RegionReference = { field: string; type: 'county' | 'zip'; codes: readonly string[] };

/** The planning regions that replaced Connecticut's counties in 2022 (Census Bureau, 87 FR 34235). */
const PLANNING_REGIONS: Record<string, string> = {
  '09001': '09120, 09140, or 09190',
  '09003': '09110, 09140, or 09160',
  '09005': '09140, 09160, or 09190',
  '09007': '09130',
  '09009': '09140 or 09170',
  '09011': '09130 or 09180',
  '09013': '09110 or 09150',
  '09015': '09150 or 09180',
};

export function unknownCounty(code: string): string {
  const regions = PLANNING_REGIONS[code];
  return regions === undefined
    ? `No county has the FIPS code ${code}.`
    : `${code} was a county of Connecticut until 2022. Use planning region ${regions} instead.`;
}

/** @throws PlatError `validation_error` with the fields that contain an unknown county or ZIP code */
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
      type === 'county' ? unknownCounty(code) : `No ZIP code ${code} exists.`,
    );
  }
  throw validationError(details);
}
