import { z } from 'zod';
import { round2 } from '../../../shared/kernels/stats/rounding.ts';
import { type ListRecord, ROW_STATUSES } from '../../../shared/lists/list-terms.ts';
import {
  countiesOfList,
  listParts,
  readListRows,
  readRowParcels,
  rowOffer,
  type ListRow as StoredRow,
} from '../../../shared/lists/read-list.ts';
import { giveRows, listFreeRows } from '../../../shared/parcels/given-rows.ts';
import type { Statements } from '../../http/database.ts';
import type { Answer, CallContext } from '../../http/endpoint.ts';
import { openPage, type Page, pageParameters, toPageResult } from '../../http/paging.ts';
import { companyOf } from '../common/company.ts';
import { defineEndpoint, type Resources } from '../common/endpoint-resources.ts';
import { SUMMARY_COLUMNS, type SummaryRow, toSummary } from '../common/parcel-summary.ts';
import { line } from '../common/request-schemas.ts';
import { MAX_NAMED } from './add-list-rows.ts';
import {
  findList,
  type ListRow,
  listParams,
  NO_LIST,
  ROW_EXAMPLE,
  ROWS_PATH,
  rowPage,
} from './list-schema.ts';

const MAX_TAGS = 20;
const MAX_TAG = 64;
const MAX_NOTE = 2_000;

const rows = {
  path: ROWS_PATH,
  tag: 'Lists',
  params: listParams,
  errors: { not_found: NO_LIST },
} as const;

const tag = line(MAX_TAG, 'must be text');
const status = z.enum(ROW_STATUSES, `must be one of ${ROW_STATUSES.join(', ')}`);

/** What a row shows of its parcel. */
type Parcel = SummaryRow &
  Pick<ListRow, 'mail_address' | 'mail_city' | 'mail_state' | 'mail_zip'> & { version: number };

const rowsQuery = z.strictObject({
  status: status.optional().describe('Only rows of this status.'),
  tag: tag.optional().describe('Only rows with this tag.'),
  ...pageParameters({ usual: 25, most: 500 }),
});

type RowsInput = { params: z.output<typeof listParams>; query: z.output<typeof rowsQuery> };

export const readRows = defineEndpoint({
  ...rows,
  method: 'get',
  operationId: 'read_list_rows',
  summary: 'Rows of a list',
  description:
    'The parcels of a list by property_id, each with its summary, its status, the mailing address of its owner and what to offer. With one row an owner the largest parcel is shown, with how many the owner has in the list.',
  query: rowsQuery,
  metering: {
    key: 'public_list_rows',
    // An answer with something in it may be free.
    price: 0,
    atMost: ({ query }) => query.page_size,
    rule: '1 token a row; 0 for a parcel that the company was given, by a list or an export, in the last 30 days and that has not changed since',
    quote: async (input, resources, call) => {
      const { tokens } = await readRowPage(input, resources, call);
      return { body: { tokens, at_most: tokens }, tokens: 0 };
    },
  },
  response: {
    status: 200,
    description: 'A page of rows.',
    schema: rowPage,
    example: {
      summary: 'A list of one row',
      value: { count: 1, next: null, previous: null, results: [ROW_EXAMPLE] },
    },
  },
  handle: readRowPage,
});

async function readRowPage(
  { params, query: { status, tag, ...paging } }: RowsInput,
  resources: Resources,
  call: CallContext,
): Promise<Answer> {
  const { database, cursorSecret } = resources;
  const companyId = await companyOf(resources.database.run, call.account.id);
  const list = await findList(resources.database, companyId, params.id);
  const page = await openPage(paging, {
    endpoint: 'lists/rows',
    request: { id: list.id, status, tag, one_per_owner: list.one_per_owner },
    call,
    secret: cursorSecret,
  });
  const read = await database.snapshot(at => readPage(at, companyId, list, page, { status, tag }));
  const turned = toPageResult(page, read.rows, page.count ?? read.count, row => [row.property_id]);
  const { count, next, previous } = turned;
  const given = turned.rows.map(({ property_id }) => read.parcels.get(property_id)!);
  const free = await listFreeRows(database.run, companyId, given);
  const tokens = given.length - free.size;
  const results = turned.rows.map(row => toRow(list, row, read.parcels.get(row.property_id)!, call.appUrl));
  return {
    body: { count, next, previous, results },
    tokens,
    ...(tokens > 0 && {
      alongside: async ({ runComposed }) => (await giveRows(runComposed, companyId, given)) === tokens,
    }),
  };
}

type PageRead = { count: number; rows: StoredRow[]; parcels: Awaited<ReturnType<typeof readParcels>> };

const readParcels = (statements: Statements, ids: readonly number[]) =>
  readRowParcels<Parcel>(statements.runComposed, ids, SUMMARY_COLUMNS);

async function readPage(
  statements: Statements,
  companyId: string,
  list: ListRecord,
  { beside, offset, size }: Page,
  selected: { status?: string | undefined; tag?: string | undefined },
): Promise<PageRead> {
  const read = await readListRows(statements.runComposed, companyId, list, {
    ...selected,
    after: beside && Number(beside.place[0]),
    backwards: beside?.direction === 'previous',
    offset,
    limit: size + 1,
  });
  const ids = read.rows.map(row => row.property_id);
  return { ...read, parcels: await readParcels(statements, ids) };
}

type RowData = Awaited<ReturnType<typeof readParcels>> extends Map<number, infer Data> ? Data : never;

function toRow(list: ListRecord, row: StoredRow, parcel: RowData, appUrl: string): ListRow {
  return {
    ...toSummary(parcel, appUrl),
    status: row.status,
    status_at: row.status_at?.toISOString() ?? null,
    do_not_mail: row.do_not_mail,
    note: row.note,
    tags: row.tags,
    value: parcel.value === null ? null : round2(parcel.value),
    ...rowOffer(list, parcel),
    owner_parcels: row.owner_parcels,
    owner_acres: row.owner_acres === null ? null : round2(row.owner_acres),
    assemblage_id: null,
    added_at: row.added_at.toISOString(),
    mail_address: parcel.mail_address,
    mail_city: parcel.mail_city,
    mail_state: parcel.mail_state,
    mail_zip: parcel.mail_zip,
  };
}

const CHANGES = ['status', 'note', 'tags', 'do_not_mail'] as const;

const changeBody = z
  .strictObject({
    property_ids: z
      .array(z.int('must be a whole number').min(1, 'must be 1 or more'))
      .min(1, 'must name one row or more')
      .max(MAX_NAMED, `must be at most ${MAX_NAMED} a call`)
      .optional()
      .describe('The rows to change.'),
    with_status: status.optional().describe('In place of ids: all rows that are shown with this status.'),
    status: status.optional(),
    note: z.string('must be text').max(MAX_NOTE, `must be at most ${MAX_NOTE} characters long`).optional(),
    tags: z
      .array(tag.refine(text => text.trim() !== '', 'must not be empty'))
      .max(MAX_TAGS, `must be at most ${MAX_TAGS}`)
      .transform(tags => [...new Set(tags.map(text => text.trim()))])
      .optional()
      .describe('In place of those that a row has.'),
    do_not_mail: z
      .boolean('must be true or false')
      .optional()
      .describe('Whether the owners want no letters; it holds in every list of the company.'),
  })
  .superRefine((given, { addIssue }) => {
    const add = (name: string, message: string) => addIssue({ code: 'custom', path: [name], message });
    if ((given.property_ids === undefined) === (given.with_status === undefined))
      add('property_ids', 'exactly one of property_ids, with_status is required');
    if (CHANGES.every(name => given[name] === undefined))
      add('status', `one of ${CHANGES.join(', ')} is required`);
  })
  .meta({
    id: 'ListRowsChange',
    description: 'What is absent stays.',
    example: { property_ids: [3301900000007], status: 'mailed' },
  });

const changed = z
  .object({
    changed: z.int().min(0).describe('Rows: with one row an owner all of these owners.'),
    not_found: z.array(z.int()).describe('Ids that the list has not.'),
    without_address: z
      .array(z.int())
      .describe("With `do_not_mail`: rows without an owner's mailing address, which cannot be marked."),
  })
  .meta({ id: 'ChangedListRows' });

export type ChangedRows = z.output<typeof changed>;

type Picked = { property_id: number; owner_key: string | null; owner: string | null };

async function pickRows(
  { runComposed }: Statements,
  companyId: string,
  { id, one_per_owner }: ListRecord,
  selected: { property_ids: readonly number[] | null; status: string | null },
): Promise<Picked[]> {
  const counties = await countiesOfList(runComposed, id);
  const values = { company_id: companyId, list_id: id, counties, one_per_owner, ...selected };
  return runComposed<Picked>('lists/pick_rows', listParts(), values);
}

export const changeRows = defineEndpoint({
  ...rows,
  method: 'patch',
  operationId: 'update_list_rows',
  summary: 'Change rows of a list',
  description:
    'Their status, note and tags, or that their owners want no letters. In a list with one row an owner the change holds for all rows of the owner.',
  body: changeBody,
  response: {
    status: 200,
    description: 'How many were changed.',
    schema: changed,
    example: { summary: 'One row', value: { changed: 1, not_found: [], without_address: [] } },
  },
  handle: async ({ params, body }, resources, call) => {
    const companyId = await companyOf(resources.database.run, call.account.id);
    const list = await findList(resources.database, companyId, params.id);
    const { property_ids = null, with_status = null, status = null, note = null, tags = null } = body;
    const answer = await resources.database.transaction(async (_run, statements): Promise<ChangedRows> => {
      const { run } = statements;
      const picked = await pickRows(statements, companyId, list, {
        property_ids,
        status: with_status,
      });
      const ids = picked.map(row => row.property_id);
      const owners = picked.map(row => row.owner);
      if (status !== null || note !== null || tags !== null)
        await run('lists/update_rows', { list_id: list.id, property_ids: ids, owners, status, note, tags });
      if (body.do_not_mail !== undefined)
        await run(body.do_not_mail ? 'lists/mark_do_not_mail' : 'lists/unmark_do_not_mail', {
          company_id: companyId,
          owner_keys: picked.flatMap(({ owner_key, owner }) => (owner === null ? [] : [owner_key, owner])),
        });
      if (ids.length > 0) await run('lists/touch_list', { list_id: list.id });
      return {
        changed: ids.length,
        not_found: missing(property_ids, ids),
        without_address:
          body.do_not_mail === true
            ? picked.filter(({ owner }) => owner === null).map(row => row.property_id)
            : [],
      };
    });
    return { body: answer, tokens: 0 };
  },
});

/** Each once, in the order in which they were given. */
function missing(asked: readonly number[] | null, found: readonly number[]): number[] {
  const known = new Set(found);
  return [...new Set(asked ?? [])].filter(id => !known.has(id));
}

/** In an address, which proxies hand on up to some 8 kB. */
const MAX_REMOVED = 500;

const removed = z
  .object({
    removed: z.int().min(0).describe('Rows: with one row an owner all of these owners.'),
    not_found: z.array(z.int()).describe('Ids that the list has not.'),
  })
  .meta({ id: 'RemovedListRows' });

export type RemovedRows = z.output<typeof removed>;

export const removeRows = defineEndpoint({
  ...rows,
  method: 'delete',
  operationId: 'remove_list_rows',
  summary: 'Take rows off a list',
  description:
    'With their statuses, notes and tags. In a list with one row an owner all rows of the owner go.',
  query: z.strictObject({
    property_ids: z
      .union([z.string(), z.array(z.string())], 'is required: ids, separated by commas')
      .transform(given => [given].flat().flatMap(text => text.split(',')))
      .pipe(
        z
          .array(
            z
              .string()
              .regex(/^[1-9][0-9]{0,15}$/, 'must be ids of parcels, separated by commas')
              .transform(Number)
              .refine(Number.isSafeInteger, 'is larger than any property_id'),
          )
          .max(MAX_REMOVED, `must be at most ${MAX_REMOVED} ids a call`),
      )
      .meta({
        description: `Ids of up to ${MAX_REMOVED} parcels, separated by commas, or the parameter several times.`,
        example: '3301900000007,3301900000044',
        override: { type: 'string', anyOf: undefined },
      }),
  }),
  response: {
    status: 200,
    description: 'How many were taken off.',
    schema: removed,
    example: { summary: 'Two rows', value: { removed: 2, not_found: [] } },
  },
  handle: async ({ params, query: { property_ids } }, resources, call) => {
    const companyId = await companyOf(resources.database.run, call.account.id);
    const list = await findList(resources.database, companyId, params.id);
    const answer = await resources.database.transaction(async (run, statements): Promise<RemovedRows> => {
      const picked = await pickRows(statements, companyId, list, { property_ids, status: null });
      const ids = picked.map(row => row.property_id);
      await run('lists/delete_rows', { list_id: list.id, property_ids: ids });
      if (ids.length > 0) await run('lists/touch_list', { list_id: list.id });
      return { removed: ids.length, not_found: missing(property_ids, ids) };
    });
    return { body: answer, tokens: 0 };
  },
});
