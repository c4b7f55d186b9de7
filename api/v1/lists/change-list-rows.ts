import { z } from 'zod';
import type { ListRecord } from '../../../shared/lists/list-terms.ts';
import { type PickedRow, pickRows } from '../../../shared/lists/read-list.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { notFound } from '../../http/error-responses.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { MAX_NAMED } from './add-list-rows.ts';
import { coversUnread } from './disclosed-rows.ts';
import { rows, status, tag } from './list-rows.ts';
import { NO_LIST } from './list-schema.ts';

const MAX_TAGS = 20;
const MAX_NOTE = 2_000;

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
    description: 'Fields that you leave out keep their values.',
    example: { property_ids: [3301900000047], status: 'mailed' },
  });

const changed = z
  .object({
    changed: z
      .int()
      .min(0)
      .describe(
        'Rows that were changed: those that were read, and those that were added by id or number. Ids that are not in the list are ignored.',
      ),
    without_address: z
      .array(z.int())
      .describe(
        "With `do_not_mail`: rows that were read and have no owner's mailing address, so that nobody can be marked.",
      ),
  })
  .meta({ id: 'ChangedListRows' });

export type ChangedRows = z.output<typeof changed>;

type Picking = { property_ids: readonly number[] | null; status: string | null };

/**
 * Picks rows under a lock on their list, so that changes at once follow one another. When the answer can't
 * say what a change did, the list hides its unread rows from then on: their counts would say it.
 * @returns with the rows that the answer may count
 */
async function pickForChange(
  db: Db,
  companyId: string,
  listId: string,
  picking: Picking,
  call: CallContext,
): Promise<{ picked: PickedRow[]; told: PickedRow[] }> {
  const [list] = await db.run<ListRecord>('lists/lock_list', { list_id: listId, company_id: companyId });
  if (list === undefined) throw notFound(NO_LIST);
  const reveals = call.user !== undefined;
  const picked = await pickRows(db, companyId, list, { ...picking, reveals });
  const told = picked.filter(row => reveals || row.is_read || mayTell(row, list, picking, call));
  const isByOwner = list.one_per_owner && list.unread > 0;
  const isById = list.unread_rows === 'counted' && picking.property_ids !== null;
  const isUnread = (id: number) => !picked.some(row => row.property_id === id && row.is_read);
  if (!reveals && (isByOwner || (isById && picking.property_ids!.some(isUnread))))
    await db.run('lists/hide_unread_rows', { list_id: listId, rows: list.rows, more: 0 });
  if (picked.length > 0 || !reveals) await db.run('lists/touch_list', { list_id: listId });
  return { picked, told };
}

/** Whether it may be said that a row was changed which was not read. */
function mayTell(
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
    'Changes their status, note and tags, or notes that their owners want no letters. In a list with one row per owner the change applies to all rows of the owner.',
  body: changeBody,
  response: {
    description: 'How many were changed.',
    schema: changed,
    example: { summary: 'One row', value: { changed: 1, without_address: [] } },
  },
  handle: async ({ params, body }, resources, call) => {
    const { companyId } = call.account;
    const { property_ids = null, with_status = null, status = null, note = null, tags = null } = body;
    const answer = await resources.db.transaction(async (tx): Promise<ChangedRows> => {
      const marks = body.do_not_mail === true;
      await tx.run('lists/note_mailing', { company_id: companyId, marks, mails: status === 'mailed' });
      const picking = { property_ids, status: with_status };
      const { picked, told } = await pickForChange(tx, companyId, params.id, picking, call);
      if (status !== null || note !== null || tags !== null)
        await tx.run('lists/update_rows', {
          list_id: params.id,
          property_ids: picked.map(row => row.property_id),
          owners: picked.map(row => row.owner),
          status,
          note,
          tags,
        });
      if (body.do_not_mail !== undefined)
        await tx.run(marks ? 'lists/mark_do_not_mail' : 'lists/unmark_do_not_mail', {
          company_id: companyId,
          owner_keys: picked.flatMap(({ owner_key, owner }) => (owner === null ? [] : [owner_key, owner])),
        });
      const isKnown = ({ is_read }: PickedRow) => is_read || call.user !== undefined;
      return {
        changed: told.length,
        without_address: marks
          ? told
              .filter(row => row.owner === null && isKnown(row))
              .map(row => row.property_id)
              .sort((a, b) => a - b)
          : [],
      };
    });
    return { body: answer, tokens: 0 };
  },
});

/** In an address, which proxies hand on up to some 8 kB. */
const MAX_REMOVED = 500;

const removed = z
  .object({
    removed: z
      .int()
      .min(0)
      .describe(
        'Rows that were removed: those that were read, and those that were added by id or number. Ids that are not in the list are ignored.',
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
    'Removes rows with their statuses, notes and tags. In a list with one row per owner all rows of the owner are removed.',
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
        example: '3301900000047,3301900000048',
        override: { type: 'string', anyOf: undefined },
      }),
  }),
  response: {
    description: 'How many were taken off.',
    schema: removed,
    example: { summary: 'Two rows', value: { removed: 2 } },
  },
  handle: async ({ params, query: { property_ids } }, resources, call) => {
    const { companyId } = call.account;
    const answer = await resources.db.transaction(async (tx): Promise<RemovedRows> => {
      const picking = { property_ids, status: null };
      const { picked, told } = await pickForChange(tx, companyId, params.id, picking, call);
      const ids = picked.map(row => row.property_id);
      await tx.run('lists/delete_rows', { list_id: params.id, property_ids: ids });
      return { removed: told.length };
    });
    return { body: answer, tokens: 0 };
  },
});
