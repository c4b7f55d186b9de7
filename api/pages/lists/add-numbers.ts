import { count } from '../../../shared/model/figures.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { addListRows, type CountedRows, MAX_NAMED } from '../../v1/lists/add-list-rows.ts';
import { callEndpoint, type Visit } from '../frame/visit.ts';
import type { ListChange } from './change-list.ts';
import { addedWords } from './list-words.ts';

/** The most of one form: ten calls, some seconds. */
const MOST = 100_000;

const isId = (text: string): boolean => /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text));
/** How Excel writes a long number in a narrow column: its digits are gone. */
const isShortened = (text: string): boolean => /^\d([.,]\d+)?E\+\d+$/i.test(text);

/** Without what spreadsheets and pages write around it: quotes, `="…"`, an apostrophe, `APN`. */
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
  // The head of a column is no number.
  const numbers = [...new Set(/\d/.test(texts[0] ?? '') ? texts : texts.slice(1))];
  if (numbers.length === 0)
    throw new PlatError('validation_error', 'There are no numbers: paste them, one a line.');
  if (numbers.length > MOST)
    throw new PlatError(
      'validation_error',
      `These are ${count(numbers.length)} numbers: add at most ${count(MOST)} at once.`,
    );
  const good = county === '' ? numbers.filter(isId) : numbers;
  const answers: CountedRows[] = [];
  for (let from = 0; from < good.length; from += MAX_NAMED) {
    const some = good.slice(from, from + MAX_NAMED);
    const body = county === '' ? { property_ids: some.map(Number) } : { apns: some, fips: county };
    answers.push(await callEndpoint<CountedRows>(visit, addListRows, { params: { id }, body }));
  }
  const sum = (name: keyof CountedRows) => answers.reduce((total, one) => total + Number(one[name]), 0);
  const strange = county === '' ? numbers.filter(text => !isId(text)) : [];
  const not_found = [...strange, ...answers.flatMap(one => one.not_found)];
  const words = addedWords({
    added: sum('added'),
    already_there: sum('already_there'),
    do_not_mail: sum('do_not_mail'),
    mailed_lately: sum('mailed_lately'),
    in_other_lists: sum('in_other_lists'),
    not_found,
  });
  const hint = not_found.some(isShortened)
    ? ' A spreadsheet has shortened some: format their column as text, and save the file again.'
    : '';
  return { words: words + hint, bad: not_found.length > 0, numbers: not_found.join('\n') };
}
