import type { Db } from '../../../shared/platform/db.ts';
import { regionsOfFormer } from '../../../shared/regions/connecticut.ts';
import { fiveDigits } from '../../../shared/regions/counties.ts';
import { type Details, validationError } from '../../http/error-responses.ts';

/** The codes in a request field: 5-digit FIPS codes or ZIP codes. */
export type RegionReference = { field: string; type: 'county' | 'zip'; codes: readonly string[] };

const EITHER = new Intl.ListFormat('en-US', { type: 'disjunction' });

export function unknownCounty(code: string): string {
  const regions = regionsOfFormer(Number(code)).map(fiveDigits);
  return regions.length === 0
    ? `No county has the FIPS code ${code}.`
    : `${code} was a county of Connecticut until 2022. Use planning region ${EITHER.format(regions)} instead.`;
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
