import { addToGroup } from '../../../shared/kernels/groups.ts';
import type { RowStatus } from '../../../shared/lists/list-terms.ts';
import { listRowDeals } from '../../../shared/lists/replies.ts';
import {
  type ChangedRows,
  changeRows,
  type RemovedRows,
  removeRows,
} from '../../v1/lists/change-list-rows.ts';
import { changeList } from '../../v1/lists/lists.ts';
import { callEndpoint, type Visit } from '../frame/visit.ts';
import { isStatus, plural, replyPath, rowsPerIn, STATUS_WORDS } from './list-words.ts';

export type ListChange = {
  words: string;
  bad?: boolean;
  /** Numbers that could not be added, for the user to correct. */
  numbers?: string;
  links?: { label: string; href: string }[];
  next?: { does: string; label: string; fields: (readonly [name: string, value: string])[] };
};

const change = (visit: Visit, id: string, body: object): Promise<ChangedRows> =>
  callEndpoint<ChangedRows>(visit, changeRows, { params: { id }, body });

/** Null for an empty field. */
const numberOf = (text: string | null): number | null => (text?.trim() ? Number(text) : null);

export async function saveSettings(visit: Visit, id: string): Promise<void> {
  const { form } = visit;
  const percent = numberOf(form.get('percent'));
  const percent_high = numberOf(form.get('percent_high'));
  const round_to = numberOf(form.get('round_to'));
  await callEndpoint(visit, changeList, {
    params: { id },
    body: {
      name: form.get('name') ?? '',
      ...rowsPerIn(form),
      offer:
        percent === null
          ? null
          : { percent, percent_high, of: form.get('of'), ...(round_to !== null && { round_to }) },
      leave_out: {
        lists: form.getAll('leave_out'),
        mailed_within_days: numberOf(form.get('mailed_within_days')),
      },
    },
  });
}

export const idsOf = ({ form }: Visit): number[] => form.getAll('property_id').map(Number);

function statusesBefore({ form }: Visit, ids: readonly number[]): Map<RowStatus, number[]> {
  const selected = new Set(ids);
  const before = new Map<RowStatus, number[]>();
  for (const text of form.getAll('was')) {
    const [id, status] = text.split(':') as [string, string];
    if (selected.has(Number(id)) && isStatus(status)) addToGroup(before, status, Number(id));
  }
  return before;
}

async function setStatus(
  visit: Visit,
  id: string,
  ids: readonly number[],
  status: string,
): Promise<ListChange> {
  const before = statusesBefore(visit, ids);
  const { changed } = await change(visit, id, { property_ids: ids, status });
  const [first] = ids;
  const isContract = status === 'under_contract' && ids.length === 1;
  const deals = isContract ? await listRowDeals(visit.deps.db, id, ids) : undefined;
  const words = isStatus(status) ? STATUS_WORDS[status] : status;
  return {
    words: `${plural(changed, 'row')} set to ${words} `,
    ...(deals?.size === 0 && { links: [{ label: 'Add deal', href: replyPath(id, first!) }] }),
    next: {
      does: 'undo',
      label: 'Undo',
      fields: [...before].map(([was, rows]) => ['undo', `${was}:${rows.join(',')}`] as const),
    },
  };
}

export async function undo(visit: Visit, id: string): Promise<ListChange> {
  for (const text of visit.form.getAll('undo')) {
    const [status = '', ids = ''] = text.split(':');
    await change(visit, id, { property_ids: ids.split(',').map(Number), status });
  }
  return { words: 'Change undone' };
}

export async function saveRow(visit: Visit, id: string): Promise<ListChange> {
  const { form } = visit;
  const property_ids = idsOf(visit);
  const unmailed = form.get('do_not_mail') === 'true';
  const wasUnmailed = form.get('was_unmailed') === 'true';
  await change(visit, id, {
    property_ids,
    note: (form.get('note') ?? '').replaceAll('\r\n', '\n').trim(),
    tags: (form.get('tags') ?? '')
      .split(',')
      .map(tag => tag.trim())
      .filter(Boolean),
    ...(unmailed !== wasUnmailed && { do_not_mail: unmailed }),
  });
  const status = form.get('status') ?? '';
  const [before] = [...statusesBefore(visit, property_ids).keys()];
  // Setting the same status again would record a second mailing.
  if (before === status) return { words: 'Row saved' };
  return setStatus(visit, id, property_ids, status);
}

const NONE_SELECTED: ListChange = { words: 'Select at least one row.', bad: true };

const fieldsOf = (ids: readonly number[]) => ids.map(id => ['property_id', String(id)] as const);

export async function changeStatus(visit: Visit, id: string): Promise<ListChange> {
  const ids = idsOf(visit);
  if (ids.length === 0) return NONE_SELECTED;
  return setStatus(visit, id, ids, visit.form.get('status') ?? '');
}

export async function stopMail(visit: Visit, id: string): Promise<ListChange> {
  const ids = idsOf(visit);
  if (ids.length === 0) return NONE_SELECTED;
  const { changed, without_address } = await change(visit, id, { property_ids: ids, do_not_mail: true });
  const without =
    without_address.length > 0
      ? ` Not marked, because there is no mailing address: ${without_address.join(', ')}.`
      : '';
  return {
    words: `${plural(changed - without_address.length, 'row')} marked Do not mail. This applies to the owners in all lists.${without} `,
    next: { does: 'mail_again', label: 'Undo', fields: fieldsOf(ids) },
  };
}

export async function mailAgain(visit: Visit, id: string): Promise<ListChange> {
  const ids = idsOf(visit);
  if (ids.length === 0) return NONE_SELECTED;
  await change(visit, id, { property_ids: ids, do_not_mail: false });
  return { words: 'Change undone' };
}

export function askRemoval(visit: Visit): ListChange {
  const ids = idsOf(visit);
  if (ids.length === 0) return NONE_SELECTED;
  return {
    words: `Remove ${plural(ids.length, 'row')} from the list? Their statuses, notes, and tags are deleted too. You can't undo this. `,
    bad: true,
    next: { does: 'remove_now', label: `Remove ${plural(ids.length, 'row')}`, fields: fieldsOf(ids) },
  };
}

export async function removeSelected(visit: Visit, id: string): Promise<ListChange> {
  const { removed } = await callEndpoint<RemovedRows>(visit, removeRows, {
    params: { id },
    query: { property_ids: idsOf(visit).join(',') },
  });
  return { words: `${plural(removed, 'row')} removed from the list` };
}
