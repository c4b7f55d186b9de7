import type { DealSubject } from '../../../shared/deals/deal-board.ts';
import { findLiveListings, type LiveListing } from '../../../shared/deals/deal-statements.ts';
import { likeLiteral } from '../../../shared/kernels/owner/owner-words.ts';
import { acres, usd } from '../../../shared/model/figures.ts';
import { shortApn, titleCase } from '../../../shared/model/roll-text.ts';
import { UUID } from '../../../shared/model/uuid.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { fiveDigits } from '../../../shared/regions/counties.ts';
import { countyByName } from '../../../shared/regions/county-names.ts';
import type { ParcelSummary } from '../../v1/common/parcel-summary.ts';
import { getProperty } from '../../v1/parcels/property-detail.ts';
import { searchProperties } from '../../v1/parcels/property-search.ts';
import { callEndpoint, type Visit } from '../frame/visit.ts';

/** A possible meaning of the entered text. */
export type Choice = { label: string; subject: DealSubject };

/** Longer than any real address. */
const MAX_TEXT = 2_000;

const refused = (message: string): PlatError => new PlatError('validation_error', message);

/**
 * What the text could refer to: a parcel id or page, a comp id, a URL, a parcel number with its county, or a
 * street address.
 * @param county FIPS, or name and state. The text can end with the county instead
 * @throws PlatError `validation_error`
 */
export async function choicesOf(visit: Visit, pasted: string, county: string): Promise<Choice[]> {
  const text = pasted.replace(/\p{Cc}/gu, ' ').trim();
  if (text === '' || text.length > MAX_TEXT)
    throw refused('Enter a parcel id, an APN with its county, or an address.');
  const parcel = /^\d{12,13}$/.exec(text)?.[0] ?? /[?&]parcel=(\d{12,13})\b/.exec(text)?.[1];
  if (parcel !== undefined && (await isParcel(visit, parcel)))
    return [{ label: `Parcel ${parcel}`, subject: { property_id: Number(parcel) } }];
  if (UUID.test(text)) return [{ label: 'Comp', subject: { listing_id: text.toLowerCase() } }];
  if (/^https?:\/\//i.test(text)) return [{ label: text, subject: { listing_url: text } }];

  const { head, fips, zip } = placeOf(text, county);
  const listed = await findListed(visit, head, fips, zip);
  const parcels = fips === null || !/\d/.test(head) ? [] : await findParcels(visit, head, fips);
  // Prefer a parcel's listing to the parcel, because the listing has more facts.
  const numbers = new Set(listed.map(({ apn }) => shortApn(apn)));
  const unlisted = parcels.filter(({ apn }) => apn === null || !numbers.has(shortApn(apn)));
  const choices = [...listed.map(listingChoice), ...unlisted.map(parcelChoice)];
  if (choices.length > 0) return choices;
  const hint = fips === null ? ' To search by parcel number, add the county.' : '';
  throw refused(`No results for "${head.slice(0, 100)}".${hint}`);
}

async function isParcel(visit: Visit, id: string): Promise<boolean> {
  try {
    await callEndpoint(visit, getProperty, { params: { property_id: id } });
    return true;
  } catch (error) {
    if (error instanceof PlatError && error.status === 404) return false;
    throw error;
  }
}

/**
 * The text before the first comma, and its place, which comes from the county field or the rest of the text.
 */
function placeOf(text: string, county: string): { head: string; fips: number | null; zip: string | null } {
  const [head = '', ...rest] = text.split(',').map(part => part.trim());
  const tail = rest.join(' ');
  const trimmed = county.trim();
  const fips = trimmed === '' ? countyIn(tail) : countyIn(trimmed);
  if (trimmed !== '' && fips === null)
    throw refused(
      `No county is called "${trimmed.slice(0, 100)}". Enter a county and state, such as Sullivan, NH, or a FIPS code, such as 33019.`,
    );
  // Without a county, treat five digits as a ZIP code.
  return { head, fips, zip: fips === null ? (/\b\d{5}\b/.exec(tail)?.[0] ?? null) : null };
}

function countyIn(text: string): number | null {
  if (/^\d{4,5}$/.test(text)) return Number(text);
  const [, name, state] = /^(.+?)[\s,]+([A-Za-z]{2})$/.exec(text.trim()) ?? [];
  return name === undefined ? null : countyByName(name, state!);
}

async function findListed(
  visit: Visit,
  head: string,
  fips: number | null,
  zip: string | null,
): Promise<LiveListing[]> {
  // Shorter text would match half the county.
  const pattern = head.length < 5 ? null : `${likeLiteral(head.toUpperCase())}%`;
  return findLiveListings(visit.deps.db, { pattern, apn: head, fips, zip });
}

function listingChoice({ id, address, city, state, apn, acres: size, price }: LiveListing): Choice {
  return {
    label: [
      `${address || `APN ${apn}`}, ${[city, state].filter(Boolean).join(', ')}`,
      size === null ? '' : `${acres(size)} acres`,
      Number(price) > 0 ? usd(Number(price)) : '',
      'for sale',
    ]
      .filter(Boolean)
      .join(' · '),
    subject: { listing_id: id },
  };
}

async function findParcels(visit: Visit, apn: string, fips: number): Promise<ParcelSummary[]> {
  const query = { fips: fiveDigits(fips), apn, page_size: '9' };
  const { results } = await callEndpoint<{ results: ParcelSummary[] }>(visit, searchProperties, { query });
  return results;
}

function parcelChoice({ property_id, apn, situs_address, effective_acres: size }: ParcelSummary): Choice {
  return {
    label: [
      `APN ${apn}`,
      titleCase(situs_address ?? ''),
      size === null ? '' : `${acres(size)} acres`,
      'parcel',
    ]
      .filter(Boolean)
      .join(' · '),
    subject: { property_id },
  };
}
