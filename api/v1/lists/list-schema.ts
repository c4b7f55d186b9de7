import { z } from 'zod';
import { type ListRecord, offerTermsOf, ROW_STATUSES } from '../../../shared/lists/list-terms.ts';
import { OFFER_BASES, REVIEW_REASONS } from '../../../shared/lists/offer.ts';
import { MAX_PRICED } from '../../../shared/lists/read-offers.ts';
import { count } from '../../../shared/model/figures.ts';
import { VALUATION_PROBLEMS } from '../../../shared/model/valuation-problems.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { link } from '../../http/endpoint.ts';
import { notFound } from '../../http/error-responses.ts';
import { parcelSummary } from '../common/parcel-summary.ts';
import { MIN_DISCLOSED_COUNT } from '../parcels/filter/withhold-counts.ts';
import { disclosedRows } from './disclosed-rows.ts';

export const LISTS_PATH = '/api/public/v1/lists/';
export const LIST_PATH = `${LISTS_PATH}{id}/`;
export const ROWS_PATH = `${LIST_PATH}rows/`;

export const listParams = z.object({ id: z.uuid('must be a UUID').describe('Id of the list.') });
export const NO_LIST = 'Your company has no list with this id.';

const offerTerms = z
  .object({
    percent: z.number().describe('Percentage of the value.'),
    percent_high: z
      .number()
      .nullable()
      .describe('For a range of prices: the percentage at its high end. Null for a single price.'),
    of: z
      .enum(OFFER_BASES)
      .describe(
        'Value that the offer is based on: the estimate (`value`), the low end of its 80% range (`value_low`), or a value from the roll.',
      ),
    round_to: z
      .int()
      .describe('Offers are rounded to a multiple of this many dollars. Halves are rounded up.'),
  })
  .meta({ id: 'OfferTerms' });

export const list = z
  .object({
    id: z.uuid(),
    name: z.string(),
    one_per_owner: z
      .boolean()
      .describe(
        'Whether the list shows one row per owner: the largest of the parcels with the same owner mailing address, as in a portfolio. A parcel without an owner mailing address gets its own row.',
      ),
    one_per_assemblage: z
      .boolean()
      .describe(
        "Whether the list shows one row per assemblage: the largest of the owner's parcels in the list that belong to one. A parcel without an assemblage gets its own row.",
      ),
    offer: offerTerms.nullable().describe('Terms of the offers. Null for no offers.'),
    leave_out: z
      .object({
        lists: z.array(z.uuid()).describe('Ids of lists whose parcels are excluded.'),
        mailed_within_days: z
          .int()
          .nullable()
          .describe(
            'Excludes owners that your company mailed from any list within this number of days. Null for no limit.',
          ),
      })
      .describe('Parcels to exclude when rows are added. Existing rows stay.'),
    letter: z
      .string()
      .nullable()
      .describe(
        'Text of the letters in PDF exports, with merge fields. Null for the text that Plat suggests.',
      ),
    rows: z
      .int()
      .min(0)
      .describe(
        `Number of parcels in the list, even if it shows one row per owner or assemblage. If the list was filled by a filter and fewer than ${MIN_DISCLOSED_COUNT} rows are unread, only rows that you have read are counted.`,
      ),
    counts: z
      .array(
        z.object({
          status: z.enum(ROW_STATUSES),
          rows: z
            .int()
            .min(1)
            .describe(
              'Number of rows. If the list shows one row per owner or assemblage, the number of these.',
            ),
          parcels: z.int().min(1).describe('Number of parcels in these rows.'),
          do_not_mail: z
            .int()
            .min(0)
            .describe('Rows that must not be mailed, because their owner is marked `do_not_mail`.'),
          without_offer: z
            .int()
            .min(0)
            .nullable()
            .describe(
              `Rows without a price, except those of \`do_not_mail\` owners. Null for lists of more than ${count(MAX_PRICED)} parcels. Like \`do_not_mail\`, it covers only rows that you have read.`,
            ),
        }),
      )
      .optional()
      .describe(
        'Number of rows by status. Included only in responses for a single list. The counts cover the same rows as `rows`. If the list shows one row per owner or assemblage, they cover only rows that you have read.',
      ),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime().describe('Last time its settings or rows changed.'),
  })
  .meta({ id: 'ParcelList' });

export type ParcelList = z.output<typeof list>;

export const listRow = z
  .object({
    ...parcelSummary.shape,
    reference: z
      .string()
      .describe('Reference to print on the letter about this parcel. It is the same in all of your lists.'),
    status: z.enum(ROW_STATUSES).describe('Status of the row.'),
    status_at: z.iso.datetime().nullable().describe('Time when the status was set. Null for `new`.'),
    do_not_mail: z
      .boolean()
      .describe(
        "Whether the owner is marked do-not-mail. Applies to all of your company's lists. Exports exclude these owners.",
      ),
    note: z.string().describe('Note. Empty if there is none.'),
    tags: z.array(z.string()).describe('Tags.'),
    value: z.number().nullable().describe('Estimated value in USD. Null if there are no comps.'),
    offer: z
      .number()
      .nullable()
      .describe(
        "Offer in USD: the price that a person entered, or the one calculated from the list's offer terms. With one row per owner or assemblage, the sum for its parcels in the list. Null if there is no price, because the list has no offer terms, or because a person should check first (`needs_review`).",
      ),
    offer_high: z
      .number()
      .nullable()
      .describe('High end of the offer in USD, if the list has `percent_high`. Null for a single price.'),
    offer_source: z
      .enum(['computed', 'entered'])
      .nullable()
      .describe('`entered` if a person entered the price, or a part of it. Null without an offer.'),
    computed_offer: z
      .number()
      .nullable()
      .describe("Price in USD from the list's offer terms, also if a person entered another one."),
    offer_parcels: z
      .int()
      .min(0)
      .describe('Number of parcels that the offer covers. The others have no price.'),
    needs_review: z.array(z.enum(REVIEW_REASONS)).describe(
      `Reasons why parcels have no offer. Empty if there are none. ${Object.entries(VALUATION_PROBLEMS)
        .map(([code, words]) => `\`${code}\`: ${words}`)
        .join('; ')}.`,
    ),
    owner_parcels: z
      .int()
      .min(1)
      .describe(
        'Number of parcels of this owner in the list. With one row per assemblage, of this assemblage.',
      ),
    owner_acres: z
      .number()
      .nullable()
      .describe(
        'Total effective acres of these parcels, with two decimals. If several units share one boundary, its land is counted once. Null when unknown.',
      ),
    other_lists: z
      .array(
        z.object({
          id: z.uuid(),
          name: z.string(),
          status: z.enum(ROW_STATUSES).describe("Latest status of the owner's parcels in that list."),
          status_at: z.iso.datetime().nullable(),
        }),
      )
      .describe(
        "Your company's other lists that have a parcel of this owner. Only rows that you have read count.",
      ),
    price_asked: z.number().nullable().describe('Price that the owner asked for, in USD. Null if unknown.'),
    phones_found_at: z.iso
      .datetime()
      .nullable()
      .describe(
        'Time when your company looked up phone numbers of this owner in the app, if that was in the last 30 days and found some. Only the app shows the numbers.',
      ),
    assemblage_id: z.int().nullable().describe('Id of the assemblage. Null if the parcel belongs to none.'),
    added_at: z.iso.datetime().describe('Time when the parcel was added to the list.'),
    mail_address: z
      .string()
      .nullable()
      .describe("Street or PO box of the owner's mailing address. Null if unknown."),
    mail_city: z.string().nullable().describe("City of the owner's mailing address. Null if unknown."),
    mail_state: z.string().nullable().describe("State of the owner's mailing address. Null if unknown."),
    mail_zip: z.string().nullable().describe("ZIP code of the owner's mailing address. Null if unknown."),
  })
  .meta({ id: 'ListRow' });

export type ListRow = z.output<typeof listRow>;

export const rowPage = z
  .object({
    count: z
      .int()
      .min(0)
      .nullable()
      .describe(
        'Number of rows on all pages. If the list was filled by a filter and has unread rows, this is null until you reach the last page.',
      ),
    next: link
      .nullable()
      .describe('URL of the next page. Null on the last page, and on a page that is not full.'),
    previous: link.nullable().describe('URL of the previous page. Null on the first page.'),
    results: z.array(listRow),
  })
  .meta({ id: 'ListRowPage' });

/** @throws PlatError `not_found` if the company has no such list */
export async function findList(db: Db, companyId: string, id: string): Promise<ListRecord> {
  const [found] = await db.run<ListRecord>('lists/list_lists', { company_id: companyId, list_id: id });
  if (found === undefined) throw notFound(NO_LIST);
  return found;
}

export function toList(record: ListRecord, reader: Pick<CallContext, 'user'>): ParcelList {
  const {
    id,
    name,
    one_per_owner,
    one_per_assemblage,
    leave_out_lists,
    mailed_within_days,
    letter,
    created_at,
    updated_at,
  } = record;
  return {
    id,
    name,
    one_per_owner,
    one_per_assemblage,
    offer: offerTermsOf(record),
    leave_out: { lists: leave_out_lists, mailed_within_days },
    letter,
    rows: disclosedRows(record, reader),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

export const LIST_EXAMPLE: ParcelList = {
  id: '6d1c1f0a-7a0e-4b55-9a43-0d2f8b1c5e77',
  name: 'Sullivan NH, 5 to 20 acres, out of state',
  one_per_owner: true,
  one_per_assemblage: false,
  offer: { percent: 30, percent_high: null, of: 'value', round_to: 100 },
  leave_out: { lists: [], mailed_within_days: null },
  letter: null,
  rows: 121,
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-21T08:30:00.000Z',
};
