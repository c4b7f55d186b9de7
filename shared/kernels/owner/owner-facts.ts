import { isCorporateOwner } from './corporate.ts';
import { isHoaOwner } from './hoa.ts';
import { wordsOf } from './owner-words.ts';
import { isPoBox, normalizeStreet } from './street.ts';

export type MailAddress = {
  mailAddress: string | null;
  mailCity: string | null;
  /** Two letters. */
  mailState: string | null;
  /** Five digits or ZIP+4. Only the first five are used. */
  mailZip: string | null;
};

export type OwnedParcel = MailAddress & {
  ownerName: string | null;
  situsAddress: string | null;
  situsState: string | null;
  situsZip: string | null;
  /** The owner-occupied flag on the roll. */
  ownerOccupied: boolean | null;
  fips: number;
  /** The county's two-letter state code, for parcels without a state on the roll. */
  countyState: string | null;
};

/** Owner fields that filters use. Null means unknown. */
export type OwnerFacts = {
  /** See ownerKeysOf. */
  ownerKeyText: string | null;
  placeKeyText: string | null;
  corporate: boolean | null;
  hoa: boolean | null;
  /** Whether the mailing address is in a different state, county, or ZIP than the parcel. */
  outOfState: boolean | null;
  outOfCounty: boolean | null;
  outOfZip: boolean | null;
  ownerOccupied: boolean | null;
};

/** @param countyOfZip FIPS code of the county that contains most of a ZIP; null for an unknown ZIP */
export function ownerFacts(parcel: OwnedParcel, countyOfZip: (zip: string) => number | null): OwnerFacts {
  const street = normalizeStreet(parcel.mailAddress);
  const mailZip = zip5(parcel.mailZip);
  const situsZip = zip5(parcel.situsZip);
  const outOfState = isDifferent(parcel.mailState, parcel.situsState ?? parcel.countyState);
  const outOfZip = isDifferent(mailZip, situsZip);
  return {
    ...ownerKeysOf(street, parcel),
    corporate: parcel.ownerName === null ? null : isCorporateOwner(parcel.ownerName),
    hoa: parcel.ownerName === null ? null : isHoaOwner(parcel.ownerName),
    outOfState,
    outOfCounty: isOutOfCounty(mailZip, parcel.fips, outOfZip, outOfState, countyOfZip),
    outOfZip,
    ownerOccupied: parcel.ownerOccupied ?? isOwnerOccupied(street, parcel.situsAddress, outOfZip, outOfState),
  };
}

function isDifferent(a: string | null, b: string | null): boolean | null {
  return a === null || b === null ? null : a !== b;
}

/** A ZIP may cross county lines, so mail to the parcel's own ZIP is never out of county. */
function isOutOfCounty(
  mailZip: string | null,
  fips: number,
  outOfZip: boolean | null,
  outOfState: boolean | null,
  countyOfZip: (zip: string) => number | null,
): boolean | null {
  if (outOfZip === false) return false;
  const county = mailZip === null ? null : countyOfZip(mailZip);
  if (county !== null) return county !== fips;
  return outOfState === true ? true : null;
}

/**
 * Whether the owner lives on the parcel, which means that mail goes to the parcel's own street and ZIP.
 * Unknown for a post office box in the parcel's ZIP, and if the two streets are equal except that one lacks
 * its house number (BACK MOUNTAIN RD and 12 BACK MOUNTAIN RD).
 */
function isOwnerOccupied(
  street: string | null,
  situsAddress: string | null,
  outOfZip: boolean | null,
  outOfState: boolean | null,
): boolean | null {
  if (outOfZip === true || outOfState === true) return false;
  if (outOfZip === null || street === null || isPoBox(street)) return null;
  const situs = normalizeStreet(situsAddress);
  if (situs === null) return null;
  if (hasNumber(street) && hasNumber(situs)) return street === situs;
  return withoutNumber(street) === withoutNumber(situs) ? null : false;
}

const hasNumber = (street: string) => /^\d/.test(street);
const withoutNumber = (street: string) => street.replace(/^\d\S* /, '');

/**
 * Keys that all of an owner's parcels share. They are hashed before they are stored. `ownerKeyText` is
 * `street zip`, or `street city state` if there is no ZIP. `placeKeyText` is always `street city state`, so
 * that a parcel without a ZIP also finds the owner's other parcels.
 * @param street from `normalizeStreet`
 */
export function ownerKeysOf(
  street: string | null,
  { mailCity, mailState, mailZip }: MailAddress,
): Pick<OwnerFacts, 'ownerKeyText' | 'placeKeyText'> {
  if (street === null) return { ownerKeyText: null, placeKeyText: null };
  const zip = zip5(mailZip);
  const city = normalizeCity(mailCity);
  const state = mailState === null ? '' : wordsOf(mailState);
  const place = city === null || state === '' ? null : `${street}|${city}|${state}`;
  return { ownerKeyText: zip === null ? place : `${street}|${zip}`, placeKeyText: place };
}

/** The five digits of a ZIP or ZIP+4; null for anything else and for 00000. */
function zip5(zip: string | null): string | null {
  const digits = zip === null ? undefined : /^(\d{5})(?:-?\d{4})?$/.exec(zip)?.[1];
  return digits === undefined || digits === '00000' ? null : digits;
}

const CITY_WORDS: Record<string, string> = {
  ST: 'SAINT',
  STE: 'SAINTE',
  FT: 'FORT',
  MT: 'MOUNT',
  PT: 'POINT',
  N: 'NORTH',
  S: 'SOUTH',
  E: 'EAST',
  W: 'WEST',
};

/** Spells out common abbreviations: FT. WAYNE becomes FORT WAYNE. */
function normalizeCity(city: string | null): string | null {
  if (city === null) return null;
  const words = wordsOf(city).split(' ');
  return words.map(word => CITY_WORDS[word] ?? word).join(' ') || null;
}
