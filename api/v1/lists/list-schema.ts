import { z } from 'zod';
import { type ListRecord, offerTermsOf, ROW_STATUSES } from '../../../shared/lists/list-terms.ts';
import { OFFER_BASES, REVIEW_REASONS } from '../../../shared/lists/offer.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { link } from '../../http/endpoint.ts';
import { notFound } from '../../http/error-responses.ts';
import { parcelSummary } from '../common/parcel-summary.ts';
import { MIN_DISCLOSED_COUNT } from '../parcels/filter/withhold-counts.ts';
import { rowsTold } from './disclosed-rows.ts';

export const LISTS_PATH = '/api/public/v1/lists/';
export const LIST_PATH = `${LISTS_PATH}{id}/`;
export const ROWS_PATH = `${LIST_PATH}rows/`;

export const listParams = z.object({ id: z.uuid('must be a UUID').describe('The id of the list.') });
export const NO_LIST = 'The company has no list with this id.';

const offerTerms = z
  .object({
    percent: z.number().describe('Percent of it.'),
    of: z
      .enum(OFFER_BASES)
      .describe(
        'The estimate (`value`), the lower end of its 80 % interval (`value_low`), or a value of the roll.',
      ),
    round_to: z.int().describe('Whole multiples of so many dollars, halves up.'),
  })
  .meta({ id: 'OfferTerms' });

export const list = z
  .object({
    id: z.uuid(),
    name: z.string(),
    one_per_owner: z
      .boolean()
      .describe(
        "Whether it shows one row an owner: the largest parcel of those whose owners have one mailing address, as a portfolio joins them. A parcel without an owner's mailing address stands by itself.",
      ),
    offer: offerTerms.nullable().describe('How offers are made; null for none.'),
    leave_out: z
      .object({
        lists: z.array(z.uuid()).describe('Parcels of these lists are not added.'),
        mailed_within_days: z
          .int()
          .nullable()
          .describe(
            'Nor are those of owners to whom a letter from any list of the company went in so many days.',
          ),
      })
      .describe('What is left out when rows are added; rows that are there already stay.'),
    rows: z
      .int()
      .min(0)
      .describe(
        `Parcels in the list, whatever it shows. When a filter filled it and fewer than ${MIN_DISCLOSED_COUNT} are unread, only those that were read.`,
      ),
    counts: z
      .array(
        z.object({
          status: z.enum(ROW_STATUSES),
          rows: z.int().min(1).describe('Rows that are shown: with one row an owner, owners.'),
          parcels: z.int().min(1).describe('Parcels that they stand for.'),
        }),
      )
      .optional()
      .describe(
        'Rows by status, when one list is requested. They cover the rows that `rows` covers, but with one row per owner only those that were read.',
      ),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime().describe('When its settings or rows were changed last.'),
  })
  .meta({ id: 'ParcelList' });

export type ParcelList = z.output<typeof list>;

export const listRow = z
  .object({
    ...parcelSummary.shape,
    status: z.enum(ROW_STATUSES),
    status_at: z.iso.datetime().nullable().describe('Since when; null for `new`.'),
    do_not_mail: z
      .boolean()
      .describe(
        'The owner wants no letters, which holds for every list of the company and is left out of files.',
      ),
    note: z.string(),
    tags: z.array(z.string()),
    value: z.number().nullable().describe('The estimate, in USD; null without comps.'),
    offer: z
      .number()
      .nullable()
      .describe('In USD, by the terms of the list; null without terms, or where a person has to look first.'),
    needs_review: z
      .array(z.enum(REVIEW_REASONS))
      .describe(
        'Why there is no offer: the parcel has left the roll; there is no such value; the parcel is unlike the sales it was valued by; the ends of the 80 % interval are over ten times apart; stated and measured acres contradict each other.',
      ),
    owner_parcels: z.int().min(1).describe('Parcels of this owner in the list.'),
    owner_acres: z
      .number()
      .nullable()
      .describe(
        'Their effective acres together, to two decimals. Units that share one boundary count its land once.',
      ),
    assemblage_id: z.null().describe('Reserved.'),
    added_at: z.iso.datetime(),
    mail_address: z.string().nullable().describe("Street of the owner's mailing address."),
    mail_city: z.string().nullable(),
    mail_state: z.string().nullable(),
    mail_zip: z.string().nullable(),
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
        'Rows across all pages. Null when a filter filled the list and its rows have not all been read up to the last page.',
      ),
    next: link
      .nullable()
      .describe('URL of the next page. Null on the last page, or on one that is not full.'),
    previous: link.nullable().describe('URL of the previous page; null on the first page.'),
    results: z.array(listRow),
  })
  .meta({ id: 'ListRowPage' });

/** @throws PlatError `not_found` for what is no list of the company */
export async function findList(db: Db, companyId: string, id: string): Promise<ListRecord> {
  const [found] = await db.run<ListRecord>('lists/list_lists', { company_id: companyId, list_id: id });
  if (found === undefined) throw notFound(NO_LIST);
  return found;
}

export function toList(record: ListRecord, reader: Pick<CallContext, 'user'>): ParcelList {
  const { id, name, one_per_owner, leave_out_lists, mailed_within_days, created_at, updated_at } = record;
  return {
    id,
    name,
    one_per_owner,
    offer: offerTermsOf(record),
    leave_out: { lists: leave_out_lists, mailed_within_days },
    rows: rowsTold(record, reader),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

export const LIST_EXAMPLE: ParcelList = {
  id: '6d1c1f0a-7a0e-4b55-9a43-0d2f8b1c5e77',
  name: 'Sullivan NH, 5 to 20 acres, out of state',
  one_per_owner: true,
  offer: { percent: 30, of: 'value', round_to: 100 },
  leave_out: { lists: [], mailed_within_days: null },
  rows: 121,
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-21T08:30:00.000Z',
};
