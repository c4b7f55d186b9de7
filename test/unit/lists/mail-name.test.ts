import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type MailName, mailName } from '../../../shared/lists/mail-name.ts';
import { runs } from '../../support/runs.ts';

const FILE = join(import.meta.dirname, '../../fixtures/owners/washington-owners.csv');
const NAMES = ['first_name', 'last_name', 'full_name', 'salutation', 'company'] as const;

/** Lines of cells, some of them in quotes. */
function readOwners(): Record<string, string>[] {
  const cellsOf = (line: string) =>
    Array.from(line.matchAll(/("[^"]*"|[^,]*)(,|$)/g), ([, cell]) => cell!.replaceAll('"', ''));
  const [head, ...lines] = readFileSync(FILE, 'utf8').trim().split('\n');
  const names = cellsOf(head!);
  return lines.map(line => {
    const cells = cellsOf(line);
    return Object.fromEntries(names.map((name, i) => [name, cells[i]!]));
  });
}

test('at least 97% of 200 owners from a roll are named as a person would, and the rest by full name only', () => {
  const rows = readOwners();
  expect(rows).toHaveLength(200);
  const wrong = rows.flatMap(row => {
    const name = mailName(row.owner_name!, row.owner_name_2 || null);
    return NAMES.every(key => name[key] === row[key]) ? [] : [name];
  });
  expect(wrong.length / rows.length).toBeLessThanOrEqual(0.03);
  for (const name of wrong) expect(name).toMatchObject({ first_name: '', last_name: '' });
});

const of = (name: Partial<MailName>): MailName => ({
  first_name: '',
  last_name: '',
  full_name: '',
  salutation: 'Property Owner',
  company: '',
  ...name,
});
const smith = { first_name: 'John', last_name: 'Smith', salutation: 'John' };

describe('the name on a letter', () => {
  test.each<[string, string | null, Partial<MailName>]>([
    ['SMITH JOHN A', null, { ...smith, full_name: 'John A Smith' }],
    ['JOHN A SMITH', null, { ...smith, full_name: 'John A Smith' }],
    ['Smith, John', null, { ...smith, full_name: 'John Smith' }],
    ['SMITH JR, JOHN', null, { ...smith, full_name: 'John Smith Jr' }],
    ['SMITH JOHN LIFE ESTATE', null, { ...smith, full_name: 'John Smith' }],
    ['SMITH, JOHN A ET AL', null, { ...smith, full_name: 'John A Smith et al' }],
    ['SMITH, JOHN, TRUSTEE', null, { ...smith, full_name: 'John Smith, Trustee' }],
    ['SMITH JOHN ET UX', null, { ...smith, full_name: 'John Smith' }],
    ['SMITH, JOHN', 'SMITH, JOHN A', { ...smith, full_name: 'John A Smith' }],
    ['SMITH, JOHN', 'C/O JONES, MARY', { ...smith, full_name: 'John Smith, c/o Jones, Mary' }],
    [
      'SMITH, R L',
      null,
      { first_name: 'R', last_name: 'Smith', full_name: 'R L Smith', salutation: 'R L Smith' },
    ],
    ['CHURCH, JOHN', null, { ...smith, last_name: 'Church', full_name: 'John Church' }],
    [
      'VAN DER BERG JAN',
      null,
      { first_name: 'Jan', last_name: 'Van Der Berg', full_name: 'Jan Van Der Berg', salutation: 'Jan' },
    ],
    [
      "O'BRIEN, PATRICK",
      null,
      { first_name: 'Patrick', last_name: "O'Brien", full_name: "Patrick O'Brien", salutation: 'Patrick' },
    ],
  ])('%s, %s: a person', (owner, second, name) => expect(mailName(owner, second)).toEqual(of(name)));

  test.each<[string, string | null, string, string]>([
    ['SMITH JOHN A & MARY B', null, 'John A and Mary B Smith', 'John and Mary'],
    ['SMITH, JOHN & MARY ANN', null, 'John and Mary Ann Smith', 'John and Mary'],
    ['SMITH, JOHN & MARY JONES', null, 'John Smith and Mary Jones', 'John and Mary'],
    ['JOHN A SMITH & MARY SMITH', null, 'John A and Mary Smith', 'John and Mary'],
    ['SMITH JOHN H/W SMITH MARY', null, 'John and Mary Smith', 'John and Mary'],
    ['SMITH, JOHN', 'JONES, MARY', 'John Smith and Mary Jones', 'John and Mary'],
    ['SMITH, JOHN JR', 'SMITH, MARY', 'John Smith Jr and Mary Smith', 'John and Mary'],
    ['SMITH, JOHN & MARY', 'SMITH, ANN', 'John Smith, Mary Smith, and Ann Smith', 'John, Mary, and Ann'],
  ])('%s, %s: a couple', (owner, second, full_name, salutation) =>
    expect(mailName(owner, second)).toEqual(of({ ...smith, full_name, salutation })),
  );

  test.each<[string, string | null, Partial<MailName>]>([
    [
      'ESTATE OF JOHN A SMITH',
      null,
      { company: 'Estate of John A Smith', salutation: 'Personal Representative' },
    ],
    [
      'SMITH, JOHN - ESTATE OF',
      null,
      { company: 'Estate of John Smith', salutation: 'Personal Representative' },
    ],
    ['HEIRS OF JOHN SMITH', null, { company: 'Estate of John Smith', salutation: 'Personal Representative' }],
    ['JONES FAMILY TRUST', null, { company: 'Jones Family Trust', salutation: 'Trustee' }],
    ['JONES, FAMILY TRUST', null, { company: 'Jones Family Trust', salutation: 'Trustee' }],
    ['JONES FAMILY TRUST', 'SMITH, JOHN, TRUSTEE', { ...smith, company: 'Jones Family Trust' }],
    ['SMITH, JOHN A REV TRUST', null, { ...smith, company: 'John A Smith Rev Trust' }],
    [
      'SMITH, JOHN & MARY TRUST OF 2005',
      null,
      { ...smith, company: 'John and Mary Smith Trust of 2005', salutation: 'John and Mary' },
    ],
    [
      'RJM PROPERTIES LLC',
      'C/O SMITH',
      { company: 'RJM Properties LLC', full_name: 'RJM Properties LLC, c/o Smith' },
    ],
    ['WASHINGTON, TOWN OF', null, { company: 'Town of Washington' }],
    ['STATE OF NEW HAMPSHIRE', 'DEPT OF FORESTS', { company: 'State of New Hampshire, Dept of Forests' }],
    ['SOCIETY FOR THE PROTECTION', 'OF NH FORESTS', { company: 'Society for the Protection of NH Forests' }],
  ])('%s, %s: an entity', (owner, second, name) =>
    expect(mailName(owner, second)).toEqual(of({ full_name: name.company!, ...name })),
  );

  test.each(['LEE KIM', 'MARTIN JAMES', 'SMITH J', 'UNKNOWN', 'MILLARD QUILL'])('%s: not clear', owner => {
    expect(mailName(owner)).toMatchObject({
      first_name: '',
      last_name: '',
      company: '',
      salutation: 'Property Owner',
    });
    expect(mailName(owner).full_name.toUpperCase()).toBe(owner);
  });

  test('no owner, no name', () => expect(mailName(null)).toEqual(of({})));

  test('any text has a full name and a salutation', () => {
    const word = fc.constantFrom(
      'SMITH',
      'JOHN',
      'A',
      '&',
      ',',
      'TRUST',
      'ESTATE OF',
      'C/O',
      'LLC',
      'JR',
      'ET AL',
      '1/2',
      '-',
    );
    const text = fc
      .array(fc.oneof(word, fc.string({ maxLength: 8 })), { maxLength: 8 })
      .map(words => words.join(' '));
    fc.assert(
      fc.property(text, fc.option(text), (owner, second) => {
        const name = mailName(owner, second);
        expect(name.salutation).not.toBe('');
        if (/[a-z]{2}/i.test(owner)) expect(name.full_name).not.toBe('');
        expect(name.first_name === '').toBe(name.last_name === '');
      }),
      { numRuns: runs(1_000) },
    );
  });
});
