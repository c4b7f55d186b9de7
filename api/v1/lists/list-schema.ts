import { z } from 'zod';
import { type ListRecord, offerTermsOf, ROW_STATUSES } from '../../../shared/lists/list-terms.ts';
import { OFFER_BASES, REVIEW_REASONS } from '../../../shared/lists/offer.ts';
import { notFound } from '../../http/error-responses.ts';
import { pageOf } from '../../http/paging.ts';
import type { Resources } from '../common/endpoint-resources.ts';
import { parcelSummary } from '../common/parcel-summary.ts';
import { FILTER_EXAMPLE } from '../examples/examples.ts';

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
    rows: z.int().min(0).describe('Parcels in the list, whatever it shows.'),
    counts: z
      .array(
        z.object({
          status: z.enum(ROW_STATUSES),
          rows: z.int().min(1).describe('Rows that are shown: with one row an owner, owners.'),
          parcels: z.int().min(1).describe('Parcels that they stand for.'),
        }),
      )
      .optional()
      .describe('The rows by status, where one list is asked for.'),
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
    owner_acres: z.number().nullable().describe('Their effective acres together, to two decimals.'),
    assemblage_id: z.null().describe('Reserved.'),
    added_at: z.iso.datetime(),
    mail_address: z.string().nullable().describe("Street of the owner's mailing address."),
    mail_city: z.string().nullable(),
    mail_state: z.string().nullable(),
    mail_zip: z.string().nullable(),
  })
  .meta({ id: 'ListRow' });

export type ListRow = z.output<typeof listRow>;

export const rowPage = pageOf('ListRowPage', listRow);

/** @throws PlatError `not_found` for what is no list of the company */
export async function findList(
  { run }: Pick<Resources['database'], 'run'>,
  companyId: string,
  id: string,
): Promise<ListRecord> {
  const [found] = await run<ListRecord>('lists/list_lists', { company_id: companyId, list_id: id });
  if (found === undefined) throw notFound(NO_LIST);
  return found;
}

export function toList(record: ListRecord): ParcelList {
  const { id, name, one_per_owner, leave_out_lists, mailed_within_days, rows, created_at, updated_at } =
    record;
  return {
    id,
    name,
    one_per_owner,
    offer: offerTermsOf(record),
    leave_out: { lists: leave_out_lists, mailed_within_days },
    rows,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

export const LIST_EXAMPLE: ParcelList = {
  id: '6d1c1f0a-7a0e-4b55-9a43-0d2f8b1c5e77',
  name: 'Sullivan NH, 5 to 20 acres, out of state',
  one_per_owner: true,
  offer: { percent: 30, of: 'value', round_to: 100 },
  leave_out: { lists: [], mailed_within_days: 180 },
  rows: 60,
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-21T08:30:00.000Z',
};

export const ROW_EXAMPLE: ListRow = {
  ...FILTER_EXAMPLE.response.results[0],
  status: 'mailed',
  status_at: '2026-11-21T08:30:00.000Z',
  do_not_mail: false,
  note: '',
  tags: ['first letter'],
  value: 48_109.32,
  offer: 14_400,
  needs_review: [],
  owner_parcels: 2,
  owner_acres: 12.7,
  assemblage_id: null,
  added_at: '2026-11-20T10:00:00.000Z',
  mail_address: '448 WILLOW ST UNIT 20',
  mail_city: 'LEXINGTON',
  mail_state: 'MA',
  mail_zip: '02421',
};
