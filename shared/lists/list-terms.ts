import type { OfferBase, OfferTerms } from './offer.ts';

/** How far one is with an owner. */
export const ROW_STATUSES = [
  'new',
  'mailed',
  'answered',
  'returned',
  'under_contract',
  'not_interested',
] as const;
export type RowStatus = (typeof ROW_STATUSES)[number];

/** Of a company. */
export const MAX_LISTS = 1_000;
export const MAX_ROWS = 1_000_000;

/**
 * What the API may say about rows that were not read: `named` are parcels that the company named itself, so
 * everything; `counted` were found by a filter, and are so many that their number may be said; about `hidden`
 * rows nothing, not even whether there are any.
 */
export type UnreadRows = 'named' | 'counted' | 'hidden';

export type ListRecord = {
  id: string;
  name: string;
  one_per_owner: boolean;
  offer_percent: number | null;
  offer_of: OfferBase | null;
  offer_round_to: number | null;
  leave_out_lists: string[];
  mailed_within_days: number | null;
  created_at: Date;
  updated_at: Date;
  unread_rows: UnreadRows;
  /** Of a hidden list, no fewer than its rows: what every addition could have added. */
  rows_at_most: number | null;
  rows: number;
  /** Rows that were not read. Counted only where it matters: 0 for named rows, one per parcel. */
  unread: number;
};

type OfferColumns = Pick<ListRecord, 'offer_percent' | 'offer_of' | 'offer_round_to'>;

export const offerTermsOf = ({ offer_percent, offer_of, offer_round_to }: OfferColumns): OfferTerms | null =>
  offer_percent === null ? null : { percent: offer_percent, of: offer_of!, round_to: offer_round_to! };
