import { z } from 'zod';
import { type ListRecord, MAX_ROWS } from '../../../shared/lists/list-terms.ts';
import { PRICES } from '../../../shared/model/prices.ts';
import { countyOf } from '../../../shared/model/property-id.ts';
import type { FilterBody } from '../../../shared/parcels/filter/declare-filter.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { sql } from '../../../shared/platform/statements.ts';
import { requireTokensLeft } from '../../http/authorize.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { notFound, unprocessable, validationError } from '../../http/error-responses.ts';
import { makeOnce } from '../../http/make-once.ts';
import { QUOTE_KEY } from '../../http/quote.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { fips, line, queryFlag } from '../common/request-schemas.ts';
import { WIDE_FILTER } from '../examples/examples.ts';
import { filterBody } from '../parcels/filter/filter-body.ts';
import { isQuotable, spendQuote } from '../parcels/filter/filter-count.ts';
import { PAGE_SIZES } from '../parcels/filter/filter-prices.ts';
import { requireFilterRegions } from '../parcels/filter/filter-regions.ts';
import { MIN_DISCLOSED_COUNT } from '../parcels/filter/withhold-counts.ts';
import { disclosedRows } from './disclosed-rows.ts';
import { distinct, findByFilter, findNumbers, MAX_FOUND } from './find-list-parcels.ts';
import { findList, listParams, NO_LIST, ROWS_PATH } from './list-schema.ts';

/** Maximum number of parcels that one call can name. This many take about 140 kB. */
export const MAX_NAMED = 10_000;
const BATCH = 20_000;

const WAYS = ['filter', 'property_ids', 'apns'] as const;

const body = z
  .strictObject({
    filter: filterBody
      .optional()
      .meta({ description: 'Add every match of this filter, with the fields of `properties/filter/`.' }),
    property_ids: z
      .array(z.int('must be a whole number').min(1, 'must be 1 or more'))
      .min(1, 'must have at least one parcel')
      .max(MAX_NAMED, `must have at most ${MAX_NAMED} per call`)
      .optional()
      .describe('Ids of the parcels to add.'),
    apns: z
      .array(line(200, 'must be text'))
      .min(1, 'must have at least one parcel')
      .max(MAX_NAMED, `must have at most ${MAX_NAMED} per call`)
      .optional()
      .describe('Parcel numbers in the county `fips`, with or without padding zeros.'),
    fips: z
      .union([z.string(), z.int().transform(String)])
      .pipe(fips)
      .optional(),
  })
  .superRefine((given, { addIssue }) => {
    const named = WAYS.filter(name => given[name] !== undefined);
    const add = (name: string, message: string) => addIssue({ code: 'custom', path: [name], message });
    if (named.length !== 1)
      for (const name of named.length === 0 ? WAYS : named)
        add(name, `exactly one of ${WAYS.join(', ')} is required`);
    if (given.apns !== undefined && given.fips === undefined)
      add('fips', 'is required: the county that the parcel numbers are in');
    if (given.apns === undefined && given.fips !== undefined) add('fips', 'can be used only with apns');
  })
  .meta({ id: 'NewListRows', example: { filter: WIDE_FILTER } });

const outcome = (description: string) => z.int().min(0).nullable().describe(description);

const added = z
  .object({
    added: outcome('Parcels added. This count and the next five are null when they would reveal paid data.'),
    already_there: outcome('Parcels that were already in the list.'),
    left_out: outcome('Parcels excluded: the total of the next three.'),
    in_other_lists: outcome('Excluded because they are in one of `leave_out.lists`.'),
    mailed_lately: outcome('Excluded because the owner was mailed within `leave_out.mailed_within_days`.'),
    do_not_mail: outcome('Excluded because the owner is marked `do_not_mail`.'),
    not_found: z
      .array(z.string())
      .describe('Ids and parcel numbers from the request that match no parcel on the roll.'),
    rows: z.int().min(0).describe('Number of parcels now in the list, counted as in `GET lists/{id}/`.'),
  })
  .meta({ id: 'AddedListRows' });

export type AddedRows = z.output<typeof added>;
/** The counts that signed-in users see. */
export type CountedRows = { [Name in keyof AddedRows]: NonNullable<AddedRows[Name]> };

const FULL = `Your company's lists can have up to ${MAX_ROWS.toLocaleString('en-US')} rows. Delete lists or rows first.`;
const UNPAID = `names a parcel or a person, or has a shape under 1 km². Send pay=true, which costs ${PRICES.filterPage.tokens} tokens, like a page of this filter`;

export const addListRows = defineEndpoint({
  method: 'post',
  path: ROWS_PATH,
  operationId: 'add_list_rows',
  tag: 'Lists',
  summary: 'Add parcels to a list',
  description: `Adds every match of a filter (up to ${MAX_FOUND.toLocaleString('en-US')} parcels per call), or up to ${MAX_NAMED.toLocaleString('en-US')} parcels by id, or by parcel number in one county. Only parcels on the roll are added. Plat skips parcels that the list excludes and parcels of do-not-mail owners, and returns how many it skipped.

Adding by filter counts as a quote: it uses one of the ${PRICES.quote.freePerDay} free quotes per day. Counts are null when fewer than ${MIN_DISCLOSED_COUNT} parcels match, or when a count would reveal fewer than ${MIN_DISCLOSED_COUNT}. A filter that can't be quoted needs \`pay=true\`, which costs ${PRICES.filterPage.tokens} tokens and returns every count. For ids and parcel numbers, counts are null when they would reveal owners or unread rows.`,
  params: listParams,
  query: z.strictObject({
    pay: queryFlag(`With a filter, pay ${PRICES.filterPage.tokens} tokens to get every count.`),
  }),
  body,
  metering: {
    key: 'public_parcel_filter',
    price: [PRICES.quote, PRICES.filterPage],
    note: 'adding by filter counts as a quote, or as a page of the filter if `pay=true`. Adding by id or parcel number is free',
    mayBeFree: true,
    atMost({ query, body }) {
      if (body.filter === undefined) return 0;
      return query.pay ? PRICES.filterPage.tokens : PRICES.quote.tokens;
    },
  },
  response: {
    status: 201,
    description: 'The result. Also returned when counts are null.',
    also: { 200: 'No parcels were added. The result has the same format.' },
    schema: added,
    example: {
      summary: 'Response to the example request from the sample data',
      value: {
        added: 121,
        already_there: 0,
        left_out: 0,
        in_other_lists: 0,
        mailed_lately: 0,
        do_not_mail: 0,
        not_found: [],
        rows: 121,
      },
    },
  },
  errors: { not_found: NO_LIST, unprocessable: `${FULL} Or the filter's shape is too complex.` },
  handle: async ({ params, query: { pay }, body }, { db }, call) => {
    const { companyId } = call.account;
    const list = await findList(db, companyId, params.id);
    if (pay && body.filter === undefined) throw validationError({ pay: ['can be used only with a filter'] });
    const found = await findParcels(body, pay, db, companyId, call);
    const answer = await makeOnce(db, call, tx => addFound(tx, companyId, list.id, found));
    const { isDisclosed, outcomes, not_found } = answer;
    const { in_other_lists, mailed_lately, do_not_mail } = outcomes;
    const counts = { ...outcomes, left_out: in_other_lists + mailed_lately + do_not_mail };
    const after = await findList(db, companyId, list.id);
    const disclosed = isDisclosed || call.user !== undefined;
    return {
      body: {
        ...(disclosed ? counts : WITHHELD),
        not_found,
        rows: disclosedRows(after, call),
      } satisfies AddedRows,
      // If counts are hidden, the status must not reveal whether any parcels were added.
      status: disclosed && outcomes.added === 0 ? 200 : 201,
      tokens: found.tokens,
      ...(!pay && { meteringKey: QUOTE_KEY }),
    };
  },
});

const WITHHELD = {
  added: null,
  already_there: null,
  left_out: null,
  in_other_lists: null,
  mailed_lately: null,
  do_not_mail: null,
};

type Found = {
  ids: number[];
  unknown: string[];
  /** `named` by the company, `searched` with a filter, or `paid` to learn the number of matches. */
  how: 'named' | 'searched' | 'paid';
  /** Whether the number of parcels must stay hidden, even if it is large. */
  unquotable: boolean;
  tokens: number;
};

async function findParcels(
  { filter: given, property_ids, apns, fips }: z.output<typeof body>,
  pay: boolean,
  db: Db,
  companyId: string,
  call: CallContext,
): Promise<Found> {
  const named = { how: 'named', unquotable: false, tokens: 0 } as const;
  if (property_ids !== undefined) return { ids: distinct(property_ids), unknown: [], ...named };
  if (apns !== undefined) return { ...(await findNumbers(db, fips!, apns)), ...named };
  const filter = given as FilterBody;
  // Never count the matches of a filter on a list. The company chooses the list's rows, and there may be only
  // a few.
  const { list_id, ...others } = filter;
  if (call.user === undefined && !pay && !(await isQuotable(others, call.work)))
    throw validationError({ filter: [UNPAID] });
  await requireFilterRegions(db, filter);
  const now = call.now.getTime();
  if (pay) requireTokensLeft(call.account, now, PRICES.filterPage.tokens);
  const quote = pay || call.user !== undefined ? 0 : await spendQuote(db, call);
  if (quote > 0) requireTokensLeft(call.account, now, quote);
  const ids = await findByFilter(filter, db, { asOf: call.now, companyId, work: call.work });
  return {
    ids,
    unknown: [],
    how: pay ? 'paid' : 'searched',
    unquotable: list_id !== undefined,
    tokens: pay && ids.length > 0 ? PRICES.filterPage.tokens : quote,
  };
}

type Outcomes = Record<
  'added' | 'already_there' | 'in_other_lists' | 'mailed_lately' | 'do_not_mail',
  number
>;
type Company = { has_marked_owners: boolean; mailed_at: Date | null };
/** Stored as JSON for repeats, so don't rename these fields. */
type Added = { outcomes: Outcomes; not_found: string[]; isDisclosed: boolean };

/** Adds the parcels and records what may be disclosed about them. */
async function addFound(db: Db, companyId: string, listId: string, found: Found): Promise<Added> {
  const [company] = await db.run<Company>('lists/lock_lists', { company_id: companyId });
  // The list may be deleted while the filter runs.
  const [list] = await db.run<ListRecord>('lists/lock_list', { company_id: companyId, list_id: listId });
  if (list === undefined) throw notFound(NO_LIST);
  const [before] = await db.run<{ rows: number }>('lists/count_rows_of_company', { company_id: companyId });
  const outcomes: Outcomes = {
    added: 0,
    already_there: 0,
    in_other_lists: 0,
    mailed_lately: 0,
    do_not_mail: 0,
  };
  const not_found = [...found.unknown];
  for (let from = 0; from < found.ids.length; from += BATCH) {
    const batch = await addBatch(db, companyId, list, found.ids.slice(from, from + BATCH));
    for (const name of Object.keys(outcomes) as (keyof Outcomes)[]) outcomes[name] += batch[name];
    // Don't report this for a filter's matches, which were on the roll a moment ago.
    if (found.how === 'named') not_found.push(...batch.not_found.map(String));
  }
  const isDisclosed =
    found.how === 'paid' || (await mayDisclose(db, companyId, list, found, outcomes, company!));
  const most = found.how === 'named' ? found.ids.length : Math.max(found.ids.length, MIN_DISCLOSED_COUNT);
  if (before!.rows + (isDisclosed ? outcomes.added : most) > MAX_ROWS) throw unprocessable(FULL);
  // One page of the filter's results could have returned this many parcels.
  const isNamed = found.how === 'named' || (found.how === 'paid' && found.ids.length <= PAGE_SIZES.most);
  if (!isDisclosed || list.unread_rows === 'hidden')
    await db.run('lists/hide_unread_rows', { list_id: list.id, rows: list.rows, more: most });
  else if (!isNamed) await db.run('lists/tell_counts', { list_id: list.id });
  if (outcomes.added > 0 || !isDisclosed) await db.run('lists/touch_list', { list_id: list.id });
  return { outcomes, not_found, isDisclosed: isDisclosed };
}

/**
 * Whether the counts reveal only what a quote of the filter would, or what the company already knows. Any
 * count that can be above 0 reveals how many parcels are in a list or belong to an owner.
 */
async function mayDisclose(
  db: Db,
  companyId: string,
  list: ListRecord,
  { ids, how, unquotable }: Found,
  { already_there, in_other_lists, mailed_lately, do_not_mail }: Outcomes,
  company: Company,
): Promise<boolean> {
  if (list.unread_rows === 'hidden' || unquotable) return false;
  // Add a day, because clocks differ.
  const since = Date.now() - ((list.mailed_within_days ?? 0) + 1) * 86_400_000;
  const wereMailed = list.mailed_within_days !== null && (company.mailed_at?.getTime() ?? 0) >= since;
  if (how === 'named') {
    if (list.unread_rows !== 'named' || wereMailed || company.has_marked_owners) return false;
    const others = await db.run<Pick<ListRecord, 'unread_rows'>>('lists/list_named', {
      company_id: companyId,
      list_ids: list.leave_out_lists,
    });
    return others.every(({ unread_rows }) => unread_rows === 'named');
  }
  const parts: [isPossible: boolean, count: number][] = [
    [list.rows > 0, already_there],
    [list.leave_out_lists.length > 0, in_other_lists],
    [wereMailed, mailed_lately],
    [company.has_marked_owners, do_not_mail],
  ];
  return (
    ids.length >= MIN_DISCLOSED_COUNT &&
    parts.every(([isPossible, count]) => !isPossible || count >= MIN_DISCLOSED_COUNT)
  );
}

type Batch = Outcomes & { not_found: number[] };

/** @param ids an id that can't belong to any county counts as not found */
async function addBatch(
  db: Db,
  companyId: string,
  list: Pick<ListRecord, 'id' | 'leave_out_lists' | 'mailed_within_days'>,
  ids: readonly number[],
): Promise<Batch> {
  const [row] = await db.run<Batch>(
    'lists/add_rows',
    {
      company_id: companyId,
      list_id: list.id,
      property_ids: ids,
      counties: [...new Set(ids.map(countyOf))].filter(code => code < 1e5),
      leave_out_lists: list.leave_out_lists,
      mailed_within_days: list.mailed_within_days,
    },
    { owners: sql('lists/owners') },
  );
  return row!;
}
