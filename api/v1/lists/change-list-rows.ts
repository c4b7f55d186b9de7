import { z } from 'zod';
import { isGrouped, type ListRecord } from '../../../shared/lists/list-terms.ts';
import { type PickedRow, pickRows } from '../../../shared/lists/read-list.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { notFound } from '../../http/error-responses.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { MAX_NAMED } from './add-list-rows.ts';
import { coversUnread } from './disclosed-rows.ts';
import { rows, status, tag } from './list-rows.ts';
import { NO_LIST } from './list-schema.ts';
import { enteredOffer, rowOffers, setOffers } from './set-offers.ts';

const MAX_TAGS = 20;
const MAX_NOTE = 2_000;
const MAX_PRICE = 1_000_000_000;

const CHANGES = ['status', 'note', 'tags', 'price_asked', 'do_not_mail', 'offer', 'offers'] as const;
const WAYS = ['property_ids', 'with_status', 'offers'] as const;

const changeBody = z
  .strictObject({
    property_ids: z
      .array(z.int('must be a whole number').min(1, 'must be 1 or more'))
      .min(1, 'must have at least one row')
      .max(MAX_NAMED, `must have at most ${MAX_NAMED} per call`)
      .optional()
      .describe('Ids of the rows to change.'),
    with_status: status.optional().describe('Instead of ids: change all rows with this status.'),
    status: status.optional().describe('New status.'),
    note: z
      .string('must be text')
      .max(MAX_NOTE, `must be at most ${MAX_NOTE} characters long`)
      .optional()
      .describe('New note.'),
    tags: z
      .array(tag.refine(text => text.trim() !== '', 'must not be empty'))
      .max(MAX_TAGS, `must have at most ${MAX_TAGS} tags`)
      .transform(tags => [...new Set(tags.map(text => text.trim()))])
      .optional()
      .describe('New tags. They replace the current ones.'),
    price_asked: z
      .int('must be a whole number of dollars')
      .min(1, 'must be 1 or more')
      .max(MAX_PRICE, `must be at most ${MAX_PRICE}`)
      .nullish()
      .describe('Price that the owner asked for, in USD. Null clears it.'),
    do_not_mail: z
      .boolean('must be true or false')
      .optional()
      .describe('Whether to mark the owners as do-not-mail. Applies in every list of your company.'),
    offer: enteredOffer
      .optional()
      .describe(
        'Price in USD for each row, or null for the computed one.\n\nWith one row per owner or assemblage, it is for all of its parcels together.',
      ),
    offers: rowOffers(MAX_NAMED)
      .optional()
      .describe('Instead of ids and one `offer`: the rows to change, each with its own price.'),
  })
  .superRefine((given, { addIssue }) => {
    const add = (name: string, message: string) => addIssue({ code: 'custom', path: [name], message });
    if (WAYS.filter(name => given[name] !== undefined).length !== 1)
      add('property_ids', `exactly one of ${WAYS.join(', ')} is required`);
    if (given.offers !== undefined && given.offer !== undefined) add('offer', "can't be used with offers");
    if (CHANGES.every(name => given[name] === undefined))
      add('status', `one of ${CHANGES.join(', ')} is required`);
  })
  .meta({
    id: 'ListRowsChange',
    description: 'Omitted fields keep their values.',
    example: { property_ids: [3301900000047], status: 'mailed' },
  });

const changed = z
  .object({
    changed: z
      .int()
      .min(0)
      .describe(
        'Number of changed rows. Counts only rows that you have read, and rows added by id or parcel number. Ids that are not in the list are ignored.',
      ),
    without_address: z
      .array(z.int())
      .describe(
        'With `do_not_mail`: ids of the rows that you have read and whose owner could not be marked, because the owner has no mailing address.',
      ),
  })
  .meta({ id: 'ChangedListRows' });

export type ChangedRows = z.output<typeof changed>;

type Picking = { property_ids: readonly number[] | null; status: string | null };

/**
 * Picks rows while holding a lock on their list, so that concurrent changes run one after another. If the
 * response must not reveal what a change did, the list then hides its unread rows, because their counts
 * would.
 * @returns the list, the picked rows, and those that the response may count
 */
async function pickForChange(
  db: Db,
  companyId: string,
  listId: string,
  picking: Picking,
  call: CallContext,
): Promise<{ list: ListRecord; picked: PickedRow[]; disclosed: PickedRow[] }> {
  const [list] = await db.run<ListRecord>('lists/lock_list', { list_id: listId, company_id: companyId });
  if (list === undefined) throw notFound(NO_LIST);
  const reveals = call.user !== undefined;
  const picked = await pickRows(db, companyId, list, { ...picking, reveals });
  const disclosed = picked.filter(row => reveals || row.is_read || mayDisclose(row, list, picking, call));
  const isByGroup = isGrouped(list) && list.unread > 0;
  const isById = list.unread_rows === 'counted' && picking.property_ids !== null;
  const isUnread = (id: number) => !picked.some(row => row.property_id === id && row.is_read);
  if (!reveals && (isByGroup || (isById && picking.property_ids!.some(isUnread))))
    await db.run('lists/hide_unread_rows', { list_id: listId, rows: list.rows, more: 0 });
  if (picked.length > 0 || !reveals) await db.run('lists/touch_list', { list_id: listId });
  return { list, picked, disclosed };
}

/** Whether the response may count an unread row. */
function mayDisclose(
  { by_itself }: PickedRow,
  list: ListRecord,
  { property_ids }: Picking,
  call: CallContext,
): boolean {
  if (property_ids === null) return coversUnread(list, call);
  return list.unread_rows === 'named' && by_itself;
}

export const changeRows = defineEndpoint({
  ...rows,
  method: 'patch',
  operationId: 'update_list_rows',
  summary: 'Update rows of a list',
  description:
    'Changes the status, note, tags, or price of rows, or marks their owners as do-not-mail. In a list with one row per owner or assemblage, the change applies to all of its parcels.',
  body: changeBody,
  response: {
    description: 'The number of changed rows.',
    schema: changed,
    example: { summary: 'One row', value: { changed: 1, without_address: [] } },
  },
  handle: async ({ params, body }, resources, call) => {
    const { companyId } = call.account;
    const { with_status = null, status = null, note = null, tags = null, price_asked, offer, offers } = body;
    const property_ids = offers?.map(row => row.property_id) ?? body.property_ids ?? null;
    const answer = await resources.db.transaction(async (tx): Promise<ChangedRows> => {
      const marks = body.do_not_mail === true;
      await tx.run('lists/note_mailing', { company_id: companyId, marks, mails: status === 'mailed' });
      const picking = { property_ids, status: with_status };
      const { list, picked, disclosed } = await pickForChange(tx, companyId, params.id, picking, call);
      const prices = offers ?? offer;
      if (prices !== undefined) await setOffers(tx, list, picked, prices);
      if (status !== null || note !== null || tags !== null || price_asked !== undefined)
        await tx.run('lists/update_rows', {
          list_id: params.id,
          property_ids: picked.map(row => row.property_id),
          owners: picked.map(row => row.owner),
          status,
          note,
          tags,
          sets_price: price_asked !== undefined,
          price_asked: price_asked ?? null,
        });
      if (body.do_not_mail !== undefined)
        await tx.run(marks ? 'lists/mark_do_not_mail' : 'lists/unmark_do_not_mail', {
          company_id: companyId,
          owner_keys: picked.flatMap(({ owner_key, owner }) => (owner === null ? [] : [owner_key, owner])),
        });
      const isKnown = ({ is_read }: PickedRow) => is_read || call.user !== undefined;
      return {
        changed: disclosed.length,
        without_address: marks
          ? disclosed
              .filter(row => row.owner === null && isKnown(row))
              .map(row => row.property_id)
              .sort((a, b) => a - b)
          : [],
      };
    });
    return { body: answer, tokens: 0 };
  },
});

/** The ids are in the URL, which proxies limit to about 8 kB. */
const MAX_REMOVED = 500;

const removed = z
  .object({
    removed: z
      .int()
      .min(0)
      .describe(
        'Number of removed rows. Counts only rows that you have read, and rows added by id or parcel number. Ids that are not in the list are ignored.',
      ),
  })
  .meta({ id: 'RemovedListRows' });

export type RemovedRows = z.output<typeof removed>;

export const removeRows = defineEndpoint({
  ...rows,
  method: 'delete',
  operationId: 'remove_list_rows',
  summary: 'Remove rows from a list',
  description:
    'Removes rows with their statuses, notes, and tags. In a list with one row per owner or assemblage, this removes all of its parcels.',
  query: z.strictObject({
    property_ids: z
      .union([z.string(), z.array(z.string())], 'is required: ids, separated by commas')
      .transform(given => [given].flat().flatMap(text => text.split(',')))
      .pipe(
        z
          .array(
            z
              .string()
              .regex(/^[1-9][0-9]{0,15}$/, 'must be parcel ids, separated by commas')
              .transform(Number)
              .refine(Number.isSafeInteger, 'is larger than any property_id'),
          )
          .max(MAX_REMOVED, `must have at most ${MAX_REMOVED} ids per call`),
      )
      .meta({
        description: `Ids of up to ${MAX_REMOVED} parcels, separated by commas. You can also repeat the parameter.`,
        example: '3301900000047,3301900000048',
        override: { type: 'string', anyOf: undefined },
      }),
  }),
  response: {
    description: 'The number of removed rows.',
    schema: removed,
    example: { summary: 'Two rows', value: { removed: 2 } },
  },
  handle: async ({ params, query: { property_ids } }, resources, call) => {
    const { companyId } = call.account;
    const answer = await resources.db.transaction(async (tx): Promise<RemovedRows> => {
      const picking = { property_ids, status: null };
      const { picked, disclosed } = await pickForChange(tx, companyId, params.id, picking, call);
      const ids = picked.map(row => row.property_id);
      await tx.run('lists/delete_rows', { list_id: params.id, property_ids: ids });
      return { removed: disclosed.length };
    });
    return { body: answer, tokens: 0 };
  },
});
