import { z } from 'zod';
import { addToGroup } from '../../../shared/kernels/groups.ts';
import { round2 } from '../../../shared/kernels/stats/rounding.ts';
import { shownAssemblage } from '../../../shared/land/assemblage-columns.ts';
import { type ListRecord, ROW_STATUSES, type RowStatus } from '../../../shared/lists/list-terms.ts';
import { markRowsRead } from '../../../shared/lists/mark-read.ts';
import {
  type ListSelection,
  readListRows,
  readRowParcels,
  type ListRow as StoredRow,
} from '../../../shared/lists/read-list.ts';
import { MAX_PRICED, needsPrice, type PricedRow, readOffers } from '../../../shared/lists/read-offers.ts';
import { count } from '../../../shared/model/figures.ts';
import { costOf, PRICES } from '../../../shared/model/prices.ts';
import { referenceOf } from '../../../shared/model/row-reference.ts';
import { giveRows, listFreeRows } from '../../../shared/parcels/given-rows.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { Answer, CallContext } from '../../http/endpoint.ts';
import { validationError } from '../../http/error-responses.ts';
import { openPage, type Page, pageParameters, toPageResult } from '../../http/paging.ts';
import { defineEndpoint, type Resources } from '../common/endpoint-resources.ts';
import { type FoundPhones, findStoredPhones, listOwners } from '../common/found-phones.ts';
import { SUMMARY_COLUMNS, type SummaryRow, toSummary } from '../common/parcel-summary.ts';
import { line, queryFlag } from '../common/request-schemas.ts';
import { LIST_ROW_EXAMPLE } from '../examples/examples.ts';
import { MIN_DISCLOSED_COUNT } from '../parcels/filter/withhold-counts.ts';
import { isVeiled, requireTokensForPage } from './disclosed-rows.ts';
import { findList, type ListRow, listParams, NO_LIST, ROWS_PATH, rowPage } from './list-schema.ts';

const MAX_TAG = 64;

export const rows = {
  path: ROWS_PATH,
  tag: 'Lists',
  params: listParams,
  errors: { not_found: NO_LIST },
} as const;

export const tag = line(MAX_TAG, 'must be text');
export const status = z.enum(ROW_STATUSES, `must be one of ${ROW_STATUSES.join(', ')}`);

type Parcel = SummaryRow &
  Pick<ListRow, 'mail_address' | 'mail_city' | 'mail_state' | 'mail_zip'> & { version: number };

const rowsQuery = z.strictObject({
  status: status.optional().describe('Only rows with this status.'),
  tag: tag.optional().describe('Only rows with this tag.'),
  needs_price: queryFlag('Only rows that you have read in which a parcel has no price.'),
  ...pageParameters({ usual: 25, most: 500 }),
});

type RowsInput = { params: z.output<typeof listParams>; query: z.output<typeof rowsQuery> };

export const readRows = defineEndpoint({
  ...rows,
  operationId: 'read_list_rows',
  summary: 'List the rows of a list',
  description: `Returns the parcels of a list, sorted by property_id, with their status, owner mailing address, and offer. If the list shows one row per owner or assemblage, each row is its largest parcel.\n\nTo read unread rows in such a list, or in one that was filled by a filter, the account must have at least one token per row on the page, up to ${MIN_DISCLOSED_COUNT} tokens.`,
  query: rowsQuery,
  metering: {
    key: 'public_list_rows',
    price: PRICES.listRows,
    note: 'free for unchanged parcels that your company paid for in a list or an export in the last 30 days',
    mayBeFree: true,
    atMost: ({ query }) => costOf(PRICES.listRows, query.page_size),
    quote: async (input, resources, call) => {
      const { page_size } = input.query;
      const list = await findList(resources.db, call.account.companyId, input.params.id);
      if (isVeiled(list, call)) return { body: { tokens: null, at_most: page_size }, tokens: 0 };
      const { tokens } = await readRowPage(input, resources, call);
      return { body: { tokens, at_most: tokens }, tokens: 0 };
    },
  },
  response: {
    description: 'A page of rows.',
    schema: rowPage,
    example: {
      summary: 'A list with one row',
      value: { count: 1, next: null, previous: null, results: [LIST_ROW_EXAMPLE] },
    },
  },
  handle: readRowPage,
});

async function readRowPage(input: RowsInput, resources: Resources, call: CallContext): Promise<Answer> {
  const { status, tag, needs_price, ...paging } = input.query;
  const { db, cursorSecret } = resources;
  const { companyId } = call.account;
  const list = await findList(db, companyId, input.params.id);
  const veiled = isVeiled(list, call);
  if (veiled) requireTokensForPage(call, paging.page_size);
  const page = await openPage(paging, {
    endpoint: 'lists/rows',
    request: {
      id: list.id,
      status,
      tag,
      needs_price,
      rows_per: [list.one_per_owner, list.one_per_assemblage],
    },
    call,
    secret: cursorSecret,
  });
  const read = await db.snapshot(async tx => {
    const among = needs_price ? await listUnpriced(tx, companyId, list, call) : undefined;
    return readPage(tx, companyId, list, page, { status, tag, among }, call);
  });
  const isWhole = !status && !tag && !needs_price && read.rows.length < page.size;
  const pageResult = veiled
    ? toVeiledPage(page, read)
    : toPageResult(page, read.rows, page.count || read.count, placeOf);
  const { next, previous } = pageResult;
  const rowParcels = pageResult.rows.map(({ property_id }) => read.parcels.get(property_id)!);
  const free = await listFreeRows(db, companyId, rowParcels);
  const tokens = costOf(PRICES.listRows, rowParcels.length - free.size);
  const results = pageResult.rows.map(row => toRow(row, read, call.appUrl));
  const ids = pageResult.rows.map(row => row.property_id);
  const isNew = pageResult.rows.some(row => !row.is_read);
  return {
    body: { count: pageResult.count, next, previous, results },
    tokens,
    ...((isNew || (veiled && isWhole) || tokens > 0) && {
      alongside: async db => {
        if (isNew || veiled) await markRowsRead(db, companyId, list, ids, isWhole);
        return (await giveRows(db, companyId, rowParcels)) === tokens;
      },
    }),
  };
}

const placeOf = (row: StoredRow) => [row.property_id];

/**
 * A page that reveals only its rows. Whether there are more is paid data, so a full page always has a `next`.
 */
function toVeiledPage(page: Page, read: PageRead) {
  const { next, previous, rows } = toPageResult(page, read.rows, 0, placeOf);
  const last = rows.at(-1);
  const more = rows.length === page.size && last !== undefined;
  const isEnd = !more && (last !== undefined || page.number === 1);
  return {
    count: isEnd ? (page.number - 1) * page.size + rows.length : null,
    next: more
      ? (next ?? page.link(page.number + 1, { place: placeOf(last), direction: 'next', count: 0 }))
      : null,
    previous: previous ?? (page.number > 1 ? page.link(page.number - 1) : null),
    rows,
  };
}

type PageRead = {
  count: number;
  rows: StoredRow[];
  parcels: Awaited<ReturnType<typeof readParcels>>;
  offers: Map<number, PricedRow>;
  others: Map<string, ListRow['other_lists']>;
  phones: Map<number, FoundPhones>;
};

const readParcels = (db: Db, ids: readonly number[]) => readRowParcels<Parcel>(db, ids, SUMMARY_COLUMNS);

async function readPage(
  db: Db,
  companyId: string,
  list: ListRecord,
  { cursorPosition, offset, size }: Page,
  selected: Pick<ListSelection, 'status' | 'tag' | 'among'>,
  call: CallContext,
): Promise<PageRead> {
  const read = await readListRows(db, companyId, list, {
    ...selected,
    after: cursorPosition && Number(cursorPosition.place[0]),
    backwards: cursorPosition?.direction === 'previous',
    offset,
    limit: size + 1,
  });
  const ids = read.rows.map(row => row.property_id);
  return {
    ...read,
    parcels: await readParcels(db, ids),
    offers: await readOffers(db, companyId, list, { among: ids }),
    others: await readOtherLists(db, companyId, list.id, read.rows, call),
    phones: await findStoredPhones(db, companyId, await listOwners(db, ids)),
  };
}

/** Rows that still need a price. API callers must have read them, because a price is paid data. */
async function listUnpriced(
  db: Db,
  companyId: string,
  list: ListRecord,
  call: CallContext,
): Promise<number[]> {
  if (list.rows > MAX_PRICED)
    throw validationError({ needs_price: [`can be used with lists of up to ${count(MAX_PRICED)} parcels`] });
  const offers = await readOffers(db, companyId, list, { onlyRead: call.user === undefined });
  return [...offers].filter(([, row]) => needsPrice(row)).map(([id]) => id);
}

type OtherRow = { owner: string; id: string; name: string; status: RowStatus; status_at: Date | null };

/** The company's other lists that have parcels of the rows' owners, by owner. */
async function readOtherLists(
  db: Db,
  companyId: string,
  listId: string,
  rows: readonly StoredRow[],
  call: CallContext,
): Promise<PageRead['others']> {
  const others: PageRead['others'] = new Map();
  const values = {
    company_id: companyId,
    list_id: listId,
    owners: [...new Set(rows.flatMap(({ owner }) => owner ?? []))],
    reveals: call.user !== undefined,
  };
  for (const { owner, status_at, ...other } of await db.run<OtherRow>('lists/list_other_rows', values))
    addToGroup(others, owner, { ...other, status_at: status_at?.toISOString() ?? null });
  return others;
}

function toRow(row: StoredRow, { parcels, offers, others, phones }: PageRead, appUrl: string): ListRow {
  const parcel = parcels.get(row.property_id)!;
  const found = phones.get(row.property_id);
  const { status: _status, do_not_mail: _do, parcels: _parcels, ...offer } = offers.get(row.property_id)!;
  return {
    ...toSummary(parcel, appUrl),
    reference: referenceOf(row.property_id),
    status: row.status,
    status_at: row.status_at?.toISOString() ?? null,
    do_not_mail: row.do_not_mail,
    note: row.note,
    tags: row.tags,
    value: parcel.value === null ? null : round2(parcel.value),
    ...offer,
    owner_parcels: row.owner_parcels,
    owner_acres: row.owner_acres === null ? null : round2(row.owner_acres),
    other_lists: others.get(row.owner ?? '') ?? [],
    price_asked: row.price_asked,
    phones_found_at: found?.trace.matched ? found.at.toISOString() : null,
    assemblage_id: shownAssemblage(parcel.assemblage).assemblage?.id ?? null,
    added_at: row.added_at.toISOString(),
    mail_address: parcel.mail_address,
    mail_city: parcel.mail_city,
    mail_state: parcel.mail_state,
    mail_zip: parcel.mail_zip,
  };
}
