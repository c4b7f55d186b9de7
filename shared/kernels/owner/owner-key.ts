import { normaliseStreet } from './street.ts';
import { wordsOf } from './words.ts';

export type MailAddress = {
  mailAddress: string | null;
  mailCity: string | null;
  /** Two letters. */
  mailState: string | null;
  /** Five digits, or ZIP+4, of which the first five count. */
  mailZip: string | null;
};

/**
 * What parcels of one owner share: `street|zip`, or `street|city|state` where the ZIP is missing, normalised. Null
 * without a street, or with neither ZIP nor city and state. The text is meant to be hashed before it is stored.
 */
export function ownerKey(address: MailAddress): string | null {
  return ownerKeyOf(normaliseStreet(address.mailAddress), address);
}

/** The same for a street that is normalised already. */
export function ownerKeyOf(
  street: string | null,
  { mailCity, mailState, mailZip }: MailAddress,
): string | null {
  if (street === null) return null;
  const zip = zip5(mailZip);
  if (zip !== null) return `${street}|${zip}`;
  const city = normaliseCity(mailCity);
  const state = mailState === null ? '' : wordsOf(mailState);
  return city === null || state === '' ? null : `${street}|${city}|${state}`;
}

/** The five digits of a ZIP or ZIP+4; null for anything else and for 00000. */
export function zip5(zip: string | null): string | null {
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

/** A city's name with its usual abbreviations spelled out: FT. WAYNE is FORT WAYNE. */
function normaliseCity(city: string | null): string | null {
  if (city === null) return null;
  const words = wordsOf(city).split(' ');
  return words.map(word => CITY_WORDS[word] ?? word).join(' ') || null;
}
