import type { OfferBase, OfferTerms } from './offer.ts';

/** Status of the contact with a row's owner. */
export const ROW_STATUSES = [
  'new',
  'mailed',
  'answered',
  'returned',
  'under_contract',
  'not_interested',
] as const;
export type RowStatus = (typeof ROW_STATUSES)[number];

/** Limits per company. */
export const MAX_LISTS = 1_000;
export const MAX_ROWS = 1_000_000;

/**
 * What the API may reveal about unread rows. `named`: everything, because the company named the parcels.
 * `counted`: only how many there are, because a filter found enough of them. `hidden`: nothing, not even
 * whether they exist.
 */
export type UnreadRows = 'named' | 'counted' | 'hidden';

export type ListRecord = {
  id: string;
  name: string;
  one_per_owner: boolean;
  one_per_assemblage: boolean;
  offer_percent: number | null;
  offer_percent_high: number | null;
  offer_of: OfferBase | null;
  offer_round_to: number | null;
  leave_out_lists: string[];
  mailed_within_days: number | null;
  /** The text of its letters, with merge fields. Null for the one that Plat suggests. */
  letter: string | null;
  created_at: Date;
  updated_at: Date;
  unread_rows: UnreadRows;
  /**
   * For a hidden list, an upper bound on the number of rows: the sum of what each addition could have added.
   */
  rows_at_most: number | null;
  rows: number;
  /**
   * Number of unread rows. Always 0 for a list of named rows with one row per parcel, because the count
   * doesn't matter there.
   */
  unread: number;
};

/** A row shows a parcel, or the largest parcel of an owner or an assemblage. */
export type RowsPer = Pick<ListRecord, 'one_per_owner' | 'one_per_assemblage'>;

export const isGrouped = ({ one_per_owner, one_per_assemblage }: RowsPer): boolean =>
  one_per_owner || one_per_assemblage;

type OfferColumns = Pick<ListRecord, 'offer_percent' | 'offer_percent_high' | 'offer_of' | 'offer_round_to'>;

export const offerTermsOf = ({
  offer_percent: percent,
  offer_percent_high: percent_high,
  offer_of,
  offer_round_to,
}: OfferColumns): OfferTerms | null =>
  percent === null ? null : { percent, percent_high, of: offer_of!, round_to: offer_round_to! };
