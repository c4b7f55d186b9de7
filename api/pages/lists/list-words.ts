import { ROW_STATUSES, type RowStatus } from '../../../shared/lists/list-terms.ts';
import type { OfferBase, ReviewReason } from '../../../shared/lists/offer.ts';
import { count } from '../../../shared/model/figures.ts';
import type { CountedRows } from '../../v1/lists/add-list-rows.ts';

export const STATUS_WORDS: Readonly<Record<RowStatus, string>> = {
  new: 'New',
  mailed: 'Mailed',
  answered: 'Answered',
  returned: 'Returned',
  under_contract: 'Under contract',
  not_interested: 'Not interested',
};

export const STATUS_OPTIONS = ROW_STATUSES.map(status => [status, STATUS_WORDS[status]] as const);

export const BASE_WORDS: Readonly<Record<OfferBase, string>> = {
  value: 'of the estimate',
  value_low: 'of its low end',
  market_value: 'of the market value',
  assessed_value: 'of the assessed value',
};

export const REASON_WORDS: Readonly<Record<ReviewReason, string>> = {
  left_the_roll: 'Left the roll',
  no_value: 'No such value',
  out_of_support: 'Few similar sales',
  too_wide: 'Estimate too uncertain',
  acres_mismatch: 'Acreage mismatch',
};

export const isStatus = (text: string | null): text is RowStatus =>
  (ROW_STATUSES as readonly (string | null)[]).includes(text);

export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`;

const MAX_NAMED = 20;

export function addedWords(answer: Omit<CountedRows, 'left_out' | 'rows'>): string {
  const { added, already_there, do_not_mail, mailed_lately, in_other_lists, not_found } = answer;
  const left: [number, string][] = [
    [already_there, 'already in the list'],
    [do_not_mail, 'of owners who want no letters'],
    [mailed_lately, 'of owners mailed lately'],
    [in_other_lists, 'in other lists'],
  ];
  const others = left.filter(([n]) => n > 0).map(([n, why]) => `${count(n)} ${why}`);
  const missing = not_found.slice(0, MAX_NAMED).join(', ');
  const more = not_found.length > MAX_NAMED ? ` and ${count(not_found.length - MAX_NAMED)} more` : '';
  return [
    `${plural(added, 'parcel')} added.`,
    ...(others.length > 0 ? [`Not added: ${others.join(', ')}.`] : []),
    ...(not_found.length > 0 ? [`Not found on the roll: ${missing}${more}.`] : []),
  ].join(' ');
}
