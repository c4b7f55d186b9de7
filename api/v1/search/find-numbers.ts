import { countyOf } from '../../../shared/model/property-id.ts';
import { filledUp, shortApn } from '../../../shared/model/roll-text.ts';
import { parcelNamedBy } from '../../../shared/model/row-reference.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { addressOf, detailOf, parcelPlace, readParcels } from './find-addresses.ts';
import type { LoadedCounty, Match } from './search-result.ts';

/** The smallest id: a serial after an Alabama FIPS code. */
const SMALLEST_ID = 1_001e8;

/** Ids come first. References come after parcel numbers, and after names if they look like words. */
const scoreOf = (text: string) => (/^\d{12,13}$/.test(text) ? 1 : /^\S*[\d-]\S*$/.test(text) ? 0.95 : 0.5);

/** The parcel with this id, or with this reference on its letters. */
export async function findProperty(db: Db, text: string): Promise<Match[]> {
  const id = parcelNamedBy(text);
  if (id === null || id < SMALLEST_ID) return [];
  const [row] = await db.run<{ present: boolean }>('search/is_on_roll', {
    fips: countyOf(id),
    property_id: id,
  });
  if (!row!.present) return [];
  const parcels = await readParcels(db, [id]);
  return parcels.map(parcel => ({
    score: scoreOf(text),
    result: {
      type: 'property',
      label: parcel.situs_address === null ? `Parcel ${id}` : addressOf(parcel),
      detail: detailOf(parcel),
      ...parcelPlace(parcel),
    },
  }));
}

/** Parcel numbers don't contain words of four or more letters. */
const isNumber = (text: string) =>
  /\d/.test(text) && !text.split(/[ .-]+/).some(part => /^\p{L}{4,}$/u.test(part));

/** Parcels with a given number, ignoring spaces, dashes, dots, case, and zero padding. */
export async function findApns(
  db: Db,
  text: string,
  counties: readonly LoadedCounty[],
  wanted: number,
): Promise<Match[]> {
  const number = text.replace(/^apn[\s:#]+/i, '');
  if (!isNumber(number)) return [];
  const shapes = new Set(counties.flatMap(({ apnShapes }) => apnShapes));
  const apns = [number, ...[...shapes].flatMap(shape => filledUp(number, shape) ?? [])];
  const rows = await db.run<{ property_id: number }>('search/find_apn', {
    apns: [...new Set(apns)],
    counties: counties.map(({ fips }) => fips),
    limit: wanted,
  });
  const parcels = await readParcels(
    db,
    rows.map(row => row.property_id),
  );
  return parcels.map(parcel => ({
    score: 0.96,
    result: {
      type: 'apn',
      label: `APN ${shortApn(parcel.apn!)}`,
      detail: [parcel.situs_address && addressOf(parcel), detailOf({ ...parcel, apn: null })]
        .filter(Boolean)
        .join(' · '),
      ...parcelPlace(parcel),
    },
  }));
}
