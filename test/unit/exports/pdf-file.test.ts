import fc from 'fast-check';
import { extractText } from 'unpdf';
import { expect, test } from 'vitest';
import { columnsOf } from '../../../shared/exports/export-columns.ts';
import { EXAMPLE_LETTER } from '../../../shared/exports/letter-text.ts';
import { openLetters } from '../../../workers/exports/pdf-file.ts';
import { runs } from '../../support/runs.ts';

const COLUMNS = columnsOf({ list_id: 'a list', layout: 'mail' });
const HEAD = { sender: 'Land Co', sender_address: '', date: 'November 30, 2026' };

function open(text: string) {
  const file = openLetters(COLUMNS, { text, head: HEAD, asOf: new Date('2026-11-30T12:00:00Z') });
  const row = (cells: object) => {
    const letter: Record<string, string> = { ...EXAMPLE_LETTER, ...cells };
    return { id: '1', cells: COLUMNS.map(({ name }) => letter[name]!), place: null };
  };
  return { ...file, row };
}

function write(text: string, letters: readonly object[]): Uint8Array {
  const { write, row, end } = open(text);
  const parts = letters.map(cells => write([row(cells)]));
  return new Uint8Array(Buffer.concat([...parts, ...end()]));
}

const pagesOf = async (file: Uint8Array) =>
  (await extractText(file.slice(), { mergePages: false })).text.map(page =>
    page.replaceAll(/\s+/g, ' ').trim(),
  );

test('each letter has its own page', async () => {
  const text = 'Dear {salutation},\n\nWe offer {offer}.';
  const file = write(text, [{}, { salutation: 'Bea', offer: '12300' }]);
  expect(await pagesOf(file)).toEqual(['Dear Ada and John, We offer $9,000.', 'Dear Bea, We offer $12,300.']);
  expect(Buffer.from(file.subarray(0, 5)).toString()).toBe('%PDF-');
});

test('the same letters are the same bytes', () =>
  expect(Buffer.from(write('{full_name}', [{}])).equals(write('{full_name}', [{}]))).toBe(true));

test('a long letter continues on the next page', async () => {
  const pages = await pagesOf(
    write('{legal_description}\nend', [{ legal_description: 'LOT 9; '.repeat(900) }, {}]),
  );
  expect(pages.length).toBe(3);
  expect(pages[1]).toMatch(/end$/);
  expect(pages[2]).toBe('Lot 9 end');
});

test('characters that the font does not have are replaced', async () => {
  const [page] = await pagesOf(
    write('{full_name}|', [{ full_name: 'Peña Łódź Nguyễn 王 😀 e\u0301 \u0007\tx' }]),
  );
  expect(page).toBe('Peña ?ódz Nguyen ? ? é ? x|');
});

test('any text can be printed', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), text => {
      expect(write('{full_name}', [{ full_name: text }]).length).toBeGreaterThan(500);
    }),
    { numRuns: runs(30) },
  ));

test('a file without letters is a valid PDF', async () =>
  expect(await pagesOf(write('x', []))).toEqual(['']));

test('5,000 letters are the limit', () => {
  const { write, row } = open('x');
  expect(() => write(Array.from({ length: 5_001 }, () => row({})))).toThrow(
    expect.objectContaining({ code: 'validation_error', details: { format: [expect.any(String)] } }),
  );
});
