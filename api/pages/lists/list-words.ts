import { ROW_STATUSES, type RowStatus, type RowsPer } from '../../../shared/lists/list-terms.ts';
import type { OfferBase } from '../../../shared/lists/offer.ts';
import { count } from '../../../shared/model/figures.ts';
import { referenceOf } from '../../../shared/model/row-reference.ts';
import type { CountedRows } from '../../v1/lists/add-list-rows.ts';

export const STATUS_WORDS: Readonly<Record<RowStatus, string>> = {
  new: 'New',
  mailed: 'Mailed',
  answered: 'Responded',
  returned: 'Returned',
  under_contract: 'Under contract',
  not_interested: 'Not interested',
};

export const STATUS_OPTIONS = ROW_STATUSES.map(status => [status, STATUS_WORDS[status]] as const);

export const BASE_WORDS: Readonly<Record<OfferBase, string>> = {
  value: 'of estimate',
  value_low: 'of low estimate',
  market_value: 'of market value',
  assessed_value: 'of assessed value',
};

export const isStatus = (text: string | null): text is RowStatus =>
  (ROW_STATUSES as readonly (string | null)[]).includes(text);

export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`;

export const ROWS_PER = [
  ['parcel', 'parcel'],
  ['owner', 'owner'],
  ['assemblage', 'assemblage'],
] as const;

export const nameOfRowsPer = (of: RowsPer): (typeof ROWS_PER)[number][0] =>
  of.one_per_assemblage ? 'assemblage' : of.one_per_owner ? 'owner' : 'parcel';

/** What a form chose from ROWS_PER. */
export const rowsPerIn = (form: URLSearchParams): RowsPer => ({
  one_per_owner: form.get('rows_per') === 'owner',
  one_per_assemblage: form.get('rows_per') === 'assemblage',
});

/** The page that logs the owner's reply, or that a contract becomes a deal. */
export const replyPath = (listId: string, propertyId: number): string =>
  `/replies?${new URLSearchParams({ q: referenceOf(propertyId), list_id: listId, property_id: String(propertyId) })}`;

const MAX_NAMED = 20;

/** The result of adding parcels. */
export function addedWords(result: Omit<CountedRows, 'left_out' | 'rows'>): string {
  const { added, already_there, do_not_mail, mailed_lately, in_other_lists, not_found } = result;
  const skipped: [number, string][] = [
    [already_there, 'already in the list'],
    [do_not_mail, 'marked Do not mail'],
    [mailed_lately, 'mailed recently'],
    [in_other_lists, 'in other lists'],
  ];
  const reasons = skipped.filter(([n]) => n > 0).map(([n, why]) => `${count(n)} ${why}`);
  const missing = not_found.slice(0, MAX_NAMED).join(', ');
  const more = not_found.length > MAX_NAMED ? ` and ${count(not_found.length - MAX_NAMED)} more` : '';
  return [
    `${plural(added, 'parcel')} added.`,
    ...(reasons.length > 0 ? [`Skipped: ${reasons.join(', ')}.`] : []),
    ...(not_found.length > 0 ? [`Not found on the roll: ${missing}${more}.`] : []),
  ].join(' ');
}
