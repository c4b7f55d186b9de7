import { z } from 'zod';
import { letterProblem, MAX_LETTER } from '../../../shared/exports/letter-text.ts';
import { isGrouped, type ListRecord, MAX_LISTS, type RowStatus } from '../../../shared/lists/list-terms.ts';
import { OFFER_BASES, type OfferTerms } from '../../../shared/lists/offer.ts';
import { countiesOfList, listParts } from '../../../shared/lists/read-list.ts';
import { MAX_PRICED, readOffers } from '../../../shared/lists/read-offers.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { notFound, unprocessable, validationError } from '../../http/error-responses.ts';
import { makeOnce } from '../../http/make-once.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { line } from '../common/request-schemas.ts';
import { coversUnread } from './disclosed-rows.ts';
import {
  findList,
  LIST_EXAMPLE,
  LIST_PATH,
  LISTS_PATH,
  list,
  listParams,
  NO_LIST,
  type ParcelList,
  toList,
} from './list-schema.ts';

const MAX_NAME = 200;
const MAX_LEFT_OUT = 100;
const MAX_DAYS = 3_650;
const USUAL_ROUNDING = 100;

const offer = z
  .strictObject({
    percent: z
      .number('must be a percentage')
      .min(0.1, 'must be 0.1 or more')
      .max(200, 'must be at most 200')
      .describe('Percentage of the value.'),
    percent_high: z
      .number('must be a percentage')
      .max(200, 'must be at most 200')
      .nullish()
      .describe('For a range of prices: the percentage at its high end.'),
    of: z
      .enum(OFFER_BASES, `must be one of ${OFFER_BASES.join(', ')}`)
      .optional()
      .describe('Value that the offer is based on. Default: `value`.'),
    round_to: z
      .int('must be a whole number of dollars')
      .min(1, 'must be 1 or more')
      .max(100_000, 'must be at most 100000')
      .optional()
      .describe(`Round to a multiple of this many dollars. Default: ${USUAL_ROUNDING}.`),
  })
  .transform(
    ({ percent, percent_high = null, of = 'value', round_to = USUAL_ROUNDING }): OfferTerms => ({
      percent,
      percent_high,
      of,
      round_to,
    }),
  )
  .refine(({ percent, percent_high }) => percent_high === null || percent_high >= percent, {
    path: ['percent_high'],
    message: 'must be percent or more',
  });

const leaveOut = z.strictObject({
  lists: z.array(z.uuid('must be the id of a list')).max(MAX_LEFT_OUT).optional(),
  mailed_within_days: z
    .int('must be a whole number of days')
    .min(1, 'must be 1 or more')
    .max(MAX_DAYS, `must be at most ${MAX_DAYS}`)
    .nullish(),
});

const letter = z
  .string('must be text')
  .max(MAX_LETTER, `must have at most ${MAX_LETTER} characters`)
  .transform(text => text.replaceAll('\r\n', '\n'))
  .refine(text => !/[^\P{Cc}\n\t]/u.test(text), 'must not contain control characters')
  .superRefine((text, context) => {
    const problem = letterProblem(text);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

const name = line(MAX_NAME, 'must be text').refine(text => text.trim() !== '', 'must not be empty');

const settings = {
  one_per_owner: z
    .boolean('must be true or false')
    .optional()
    .describe('Whether to show one row per owner. Default: false.'),
  one_per_assemblage: z
    .boolean('must be true or false')
    .optional()
    .describe('Whether to show one row per assemblage instead. Default: false.'),
  offer: offer.nullish().describe('Terms of the offers. Null for no offers.'),
  leave_out: leaveOut
    .optional()
    .describe('Parcels to exclude when rows are added.\n\nOmitted fields keep their values.'),
  letter: letter
    .nullish()
    .describe('Text of the letters in PDF exports, with merge fields. Null for the text that Plat suggests.'),
};

const EXAMPLE_BODY = {
  name: LIST_EXAMPLE.name,
  one_per_owner: true,
  offer: { percent: 30, of: 'value', round_to: 100 },
};
const oneGrouping = (
  { one_per_owner, one_per_assemblage }: { one_per_owner?: boolean; one_per_assemblage?: boolean },
  { addIssue }: { addIssue(issue: { code: 'custom'; path: string[]; message: string }): void },
) => {
  if (one_per_owner && one_per_assemblage)
    addIssue({ code: 'custom', path: ['one_per_assemblage'], message: "can't be used with one_per_owner" });
};
const newList = z
  .strictObject({ name, ...settings })
  .superRefine(oneGrouping)
  .meta({ id: 'NewList', example: EXAMPLE_BODY });
const listChange = z
  .strictObject({ name: name.optional(), ...settings })
  .superRefine(oneGrouping)
  .meta({
    id: 'ListChange',
    description: 'Omitted fields keep their values.',
    example: { one_per_owner: false, offer: { percent: 25, of: 'value_low' } },
  });
type ListBody = z.output<typeof listChange>;

type Settings = Omit<
  ListRecord,
  'id' | 'created_at' | 'updated_at' | 'unread_rows' | 'rows_at_most' | 'rows' | 'unread'
>;

const NEW: Settings = {
  name: '',
  one_per_owner: false,
  one_per_assemblage: false,
  offer_percent: null,
  offer_percent_high: null,
  offer_of: null,
  offer_round_to: null,
  leave_out_lists: [],
  mailed_within_days: null,
  letter: null,
};

/** @throws PlatError `validation_error` if one of the lists to exclude doesn't belong to the company */
async function settingsOf(
  db: Db,
  companyId: string,
  { name, one_per_owner, one_per_assemblage, offer, leave_out, letter }: ListBody,
  before: Settings,
): Promise<Settings> {
  const lists = [...new Set(leave_out?.lists ?? [])];
  const known = await db.run<{ id: string }>('lists/list_named', { company_id: companyId, list_ids: lists });
  const unknown = lists.filter(id => !known.some(list => list.id === id));
  if (unknown.length > 0)
    throw validationError({
      'leave_out.lists': [
        `Your company has no list ${unknown.join(', ')}. GET lists/ returns the lists it has`,
      ],
    });
  return {
    name: name?.trim() ?? before.name,
    // Turning one on turns the other off.
    one_per_owner: one_per_owner ?? (before.one_per_owner && !one_per_assemblage),
    one_per_assemblage: one_per_assemblage ?? (before.one_per_assemblage && !one_per_owner),
    offer_percent: offer === undefined ? before.offer_percent : (offer?.percent ?? null),
    offer_percent_high: offer === undefined ? before.offer_percent_high : (offer?.percent_high ?? null),
    offer_of: offer === undefined ? before.offer_of : (offer?.of ?? null),
    offer_round_to: offer === undefined ? before.offer_round_to : (offer?.round_to ?? null),
    leave_out_lists: leave_out?.lists === undefined ? before.leave_out_lists : lists,
    mailed_within_days:
      leave_out?.mailed_within_days === undefined ? before.mailed_within_days : leave_out.mailed_within_days,
    letter: letter === undefined ? before.letter : letter,
  };
}

const common = { tag: 'Lists' } as const;

export const listLists = defineEndpoint({
  ...common,
  path: LISTS_PATH,
  operationId: 'list_lists',
  summary: 'List all parcel lists',
  description: "Returns your company's lists, newest first, with their settings.",
  response: {
    description: `All lists, up to ${MAX_LISTS.toLocaleString('en-US')}. The list is not paged.`,
    schema: z.array(list),
    example: { summary: 'One list', value: [LIST_EXAMPLE] },
  },
  handle: async (_input, { db }, call) => {
    const ids = { company_id: call.account.companyId, list_id: null };
    const rows = await db.run<ListRecord>('lists/list_lists', ids);
    return { body: rows.map(row => toList(row, call)), tokens: 0 };
  },
});

const TOO_MANY = `Your company already has ${MAX_LISTS.toLocaleString('en-US')} lists. Delete one first.`;

export const createList = defineEndpoint({
  ...common,
  method: 'post',
  path: LISTS_PATH,
  operationId: 'create_list',
  summary: 'Create a list',
  description: `Creates an empty list that everyone in your company shares. Add rows with \`POST lists/{id}/rows/\`. A company can have up to ${MAX_LISTS.toLocaleString('en-US')} lists.`,
  body: newList,
  response: {
    status: 201,
    description: 'The list.',
    schema: list,
    location: ({ id }) => `${LISTS_PATH}${id}/`,
    example: { summary: 'A new list', value: { ...LIST_EXAMPLE, rows: 0 } },
  },
  errors: { unprocessable: TOO_MANY },
  handle: async ({ body }, resources, call) => {
    const { companyId } = call.account;
    const id = await makeOnce(resources.db, call, async tx => {
      await tx.run('lists/lock_lists', { company_id: companyId });
      const [counted] = await tx.run<{ lists: number }>('lists/count_rows_of_company', {
        company_id: companyId,
      });
      if (counted!.lists >= MAX_LISTS) throw unprocessable(TOO_MANY);
      const [made] = await tx.run<{ id: string }>('lists/insert_list', {
        company_id: companyId,
        ...(await settingsOf(tx, companyId, body, NEW)),
      });
      return made!.id;
    });
    return { body: toList(await findList(resources.db, companyId, id), call), tokens: 0 };
  },
});

const one = {
  ...common,
  path: LIST_PATH,
  params: listParams,
  errors: { not_found: NO_LIST },
} as const;

type Count = Required<ParcelList>['counts'][number];
type StoredCount = Omit<Count, 'without_offer'>;

export const getList = defineEndpoint({
  ...one,
  operationId: 'get_list',
  summary: 'Get a list and its counts',
  description:
    'Returns the settings of a list and the number of rows by status. If the list was filled by a filter, unread rows are counted only if there are 25 or more.',
  response: {
    description: 'The list.',
    schema: list,
    example: {
      summary: 'A list',
      value: {
        ...LIST_EXAMPLE,
        rows: 1,
        counts: [{ status: 'new', rows: 1, parcels: 1, do_not_mail: 0, without_offer: 0 }],
      },
    },
  },
  handle: async ({ params: { id } }, { db }, call) => {
    const { companyId } = call.account;
    const record = await findList(db, companyId, id);
    const stored = await db.run<StoredCount>(
      'lists/count_rows',
      {
        company_id: companyId,
        list_id: id,
        counties: await countiesOfList(db, id),
        is_grouped: isGrouped(record),
        reveals: call.user !== undefined,
      },
      listParts(record, { onlyRead: !coversUnread(record, call) }),
    );
    const without = await countWithoutOffer(db, companyId, record, call);
    const counts = stored.map(
      (one): Count => ({ ...one, without_offer: without && (without.get(one.status) ?? 0) }),
    );
    return { body: { ...toList(record, call), counts }, tokens: 0 };
  },
});

/** Rows without a price by status. Null if the list is too long. What unread rows have is paid data. */
async function countWithoutOffer(
  db: Db,
  companyId: string,
  list: ListRecord,
  { user }: Pick<CallContext, 'user'>,
): Promise<Map<RowStatus, number> | null> {
  if (list.rows > MAX_PRICED) return null;
  const counts = new Map<RowStatus, number>();
  const offers = await readOffers(db, companyId, list, { onlyRead: user === undefined });
  for (const { offer, status, do_not_mail } of offers.values())
    if (offer === null && !do_not_mail) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

export const changeList = defineEndpoint({
  ...one,
  method: 'patch',
  operationId: 'update_list',
  summary: 'Update a list',
  description:
    'Changes the name, the grouping by owner or assemblage, the terms of the offers, the letter, or which parcels to exclude when rows are added.',
  body: listChange,
  response: {
    description: 'The updated list.',
    schema: list,
    example: {
      summary: 'A list',
      value: {
        ...LIST_EXAMPLE,
        one_per_owner: false,
        offer: { percent: 25, percent_high: null, of: 'value_low', round_to: 100 },
      },
    },
  },
  handle: async ({ params: { id }, body }, resources, call) => {
    const { companyId } = call.account;
    await resources.db.transaction(async tx => {
      // Concurrent changes run one after another, so that neither overwrites the other.
      await tx.run('lists/lock_lists', { company_id: companyId });
      const before = await findList(tx, companyId, id);
      const settings = await settingsOf(tx, companyId, body, before);
      await tx.run('lists/update_list', { company_id: companyId, list_id: id, ...settings });
    });
    return { body: toList(await findList(resources.db, companyId, id), call), tokens: 0 };
  },
});

export const deleteList = defineEndpoint({
  ...one,
  method: 'delete',
  operationId: 'delete_list',
  summary: 'Delete a list',
  description:
    'Deletes a list with all its rows, statuses, notes, and tags. You cannot undo this. Owners marked `do_not_mail` stay marked.',
  response: { status: 204, description: 'The list was deleted.' },
  handle: async ({ params }, resources, call) => {
    const ids = { company_id: call.account.companyId, list_id: params.id };
    const gone = await resources.db.transaction(tx => tx.run('lists/delete_list', ids));
    if (gone.length === 0) throw notFound(NO_LIST);
    return { body: null, tokens: 0 };
  },
});
