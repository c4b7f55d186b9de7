import { acres, count, usd } from '../model/figures.ts';
import { MAIL_COLUMNS, type MailColumnName } from './mail-layout.ts';

/** A letter's cells, as in the other files of the mail layout. */
export type LetterCells = Record<MailColumnName, string>;

/** What all letters of a file have in common. */
export type LetterHead = { sender: string; sender_address: string; date: string };

export const LETTER_FIELDS = [...Object.keys(MAIL_COLUMNS), 'sender', 'sender_address', 'date'] as (
  | MailColumnName
  | keyof LetterHead
)[];

export const MAX_LETTER = 6_000;

/** The letter of lists that have none of their own. */
export const SUGGESTED_LETTER = `{sender}
{sender_address}

{date}

{full_name}
{mail_address}
{mail_city}, {mail_state} {mail_zip}

Dear {salutation},

We would like to buy your land in {situs_county}, {situs_state}.

Our offer: {offer}
Up to: {offer_high}
Parcel number: {apns}
Address: {situs_address}
Acres: {acres}

If you want to sell, or have a question, please call or write to us and mention the reference {reference}.
If you want to keep your land, you don't need to do anything.

Sincerely,



{sender}`;

/** An owner who doesn't exist, for a preview when there are no letters to show. */
export const EXAMPLE_LETTER: LetterCells = {
  reference: 'ABC-123',
  first_name: 'Ada',
  last_name: 'McKay',
  full_name: 'Ada L and John McKay',
  salutation: 'Ada and John',
  company: '',
  mail_address: '12 N Main St Apt 4B',
  mail_city: 'Fort Ann',
  mail_state: 'NY',
  mail_zip: '12827',
  offer: '9000',
  offer_high: '',
  apns: '7-44; 7-45',
  parcels: '2',
  acres: '14.5',
  situs_address: '9 Mill St',
  situs_county: 'Sullivan',
  situs_state: 'NH',
  legal_description: 'Lot 9',
};

const FIELD = /\{([^{}\n]*)\}/g;

/** What is wrong with a letter's text; undefined if nothing is. */
export function letterProblem(text: string): string | undefined {
  if (text.trim() === '') return 'must not be empty';
  const known: ReadonlySet<string> = new Set(LETTER_FIELDS);
  const unknown = [...text.matchAll(FIELD)].map(([, name]) => name!).filter(name => !known.has(name));
  if (unknown.length === 0) return undefined;
  const names = [...new Set(unknown)].slice(0, 20).map(name => `{${name.slice(0, 40)}}`);
  return `${names.join(', ')}: not a field. Fields: ${LETTER_FIELDS.map(name => `{${name}}`).join(', ')}`;
}

const FORMATS: Partial<Record<MailColumnName, (value: number) => string>> = {
  offer: usd,
  offer_high: usd,
  parcels: count,
  acres,
};

/** Fills in the fields. Leaves out lines whose fields are all empty. */
export function mergeLetter(text: string, cells: LetterCells, head: LetterHead): string {
  const values: Record<string, string> = { ...cells, ...head };
  for (const [name, format] of Object.entries(FORMATS))
    if (values[name] !== '') values[name] = format(Number(values[name]));
  return text
    .split('\n')
    .flatMap(line => {
      const names = [...line.matchAll(FIELD)].map(([, name]) => name!);
      if (names.length > 0 && names.every(name => values[name] === '')) return [];
      return [line.replace(FIELD, (_, name: string) => values[name] ?? '')];
    })
    .join('\n');
}
