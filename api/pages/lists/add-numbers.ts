import { count } from '../../../shared/model/figures.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { addListRows, type CountedRows, MAX_NAMED } from '../../v1/lists/add-list-rows.ts';
import { callEndpoint, type Visit } from '../frame/visit.ts';
import type { ListChange } from './change-list.ts';
import { addedWords } from './list-words.ts';

/** The limit per form. This takes ten API calls, which run for a few seconds. */
const MAX_NUMBERS = 100_000;

const isId = (text: string): boolean => /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text));
/** Excel saves a long number in a narrow column as 3.3E+12, so its digits are lost. */
const isShortened = (text: string): boolean => /^\d([.,]\d+)?E\+\d+$/i.test(text);

/** Removes what spreadsheets and web pages add to a number: quotes, `="…"`, an apostrophe, or `APN`. */
const numberOf = (text: string): string =>
  text
    .trim()
    .replace(/^=?"(.*)"$/, '$1')
    .replace(/^'/, '')
    .replace(/^APN[\s:#]+/i, '')
    .trim();

export async function addNumbers(visit: Visit, id: string): Promise<ListChange> {
  const county = visit.form.get('county') ?? '';
  const texts = (visit.form.get('numbers') ?? '')
    .split(/[\n,;\t]/)
    .map(numberOf)
    .filter(Boolean);
  // Skip a column header, which has no digits.
  const numbers = [...new Set(/\d/.test(texts[0] ?? '') ? texts : texts.slice(1))];
  if (numbers.length === 0)
    throw new PlatError('validation_error', 'Enter at least one parcel number, one per line.');
  if (numbers.length > MAX_NUMBERS)
    throw new PlatError(
      'validation_error',
      `You entered ${count(numbers.length)} numbers. Add up to ${count(MAX_NUMBERS)} at a time.`,
    );
  const valid = county === '' ? numbers.filter(isId) : numbers;
  const results: CountedRows[] = [];
  for (let from = 0; from < valid.length; from += MAX_NAMED) {
    const batch = valid.slice(from, from + MAX_NAMED);
    const body = county === '' ? { property_ids: batch.map(Number) } : { apns: batch, fips: county };
    results.push(await callEndpoint<CountedRows>(visit, addListRows, { params: { id }, body }));
  }
  const sum = (name: keyof CountedRows) => results.reduce((total, one) => total + Number(one[name]), 0);
  const invalid = county === '' ? numbers.filter(text => !isId(text)) : [];
  const not_found = [...invalid, ...results.flatMap(one => one.not_found)];
  const words = addedWords({
    added: sum('added'),
    already_there: sum('already_there'),
    do_not_mail: sum('do_not_mail'),
    mailed_lately: sum('mailed_lately'),
    in_other_lists: sum('in_other_lists'),
    not_found,
  });
  const hint = not_found.some(isShortened)
    ? ' A spreadsheet shortened some of the numbers. Format the column as text, save the file, and try again.'
    : '';
  return { words: words + hint, bad: not_found.length > 0, numbers: not_found.join('\n') };
}
