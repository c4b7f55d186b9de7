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

/** Something that a pasted text may mean. */
export type Choice = { label: string; subject: DealSubject };

/** Longer than any address; it bounds what is searched for. */
const MAX_TEXT = 2_000;

const refused = (message: string): PlatError => new PlatError('validation_error', message);

/**
 * What a pasted text stands for: a parcel's id or page, a comp's id, the address of a page, a parcel number
 * with its county, or a street address.
 * @param county its FIPS, or a name with its state; may stand at the end of the text instead @throws
 * PlatError `validation_error`
 */
export async function choicesOf(visit: Visit, pasted: string, county: string): Promise<Choice[]> {
  const text = pasted.replace(/\p{Cc}/gu, ' ').trim();
  if (text === '' || text.length > MAX_TEXT)
    throw refused('Paste a parcel id, an APN with its county, or an address.');
  const parcel = /^\d{12,13}$/.exec(text)?.[0] ?? /[?&]parcel=(\d{12,13})\b/.exec(text)?.[1];
  if (parcel !== undefined && (await isParcel(visit, parcel)))
    return [{ label: `Parcel ${parcel}`, subject: { property_id: Number(parcel) } }];
  if (UUID.test(text)) return [{ label: 'A comp', subject: { listing_id: text.toLowerCase() } }];
  if (/^https?:\/\//i.test(text)) return [{ label: text, subject: { listing_url: text } }];

  const { head, fips, zip } = placeOf(text, county);
  const listed = await findListed(visit, head, fips, zip);
  const parcels = fips === null || !/\d/.test(head) ? [] : await findParcels(visit, head, fips);
  // The listing of a parcel says more than the parcel.
  const numbers = new Set(listed.map(({ apn }) => shortApn(apn)));
  const unlisted = parcels.filter(({ apn }) => apn === null || !numbers.has(shortApn(apn)));
  const choices = [...listed.map(listingChoice), ...unlisted.map(parcelChoice)];
  if (choices.length > 0) return choices;
  const where = fips === null ? ' Name the county to look for a parcel number.' : '';
  throw refused(`Nothing was found for "${head.slice(0, 100)}".${where}`);
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

/** The first part of a text, and where that is: by the field, else by what follows the first comma. */
function placeOf(text: string, county: string): { head: string; fips: number | null; zip: string | null } {
  const [head = '', ...rest] = text.split(',').map(part => part.trim());
  const tail = rest.join(' ');
  const trimmed = county.trim();
  const fips = trimmed === '' ? countyIn(tail) : countyIn(trimmed);
  if (trimmed !== '' && fips === null)
    throw refused(`"${trimmed.slice(0, 100)}" is no county: write it as Sullivan, NH or as 33019.`);
  // Four digits after the state's are a FIPS code only where the text says so.
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
  // A word or two of a street would be half the county.
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
