import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noComps } from '../../shared/feeds/no-comps.ts';
import { checkFeed } from '../../workers/ingest/check-feed.ts';
import { testFolder } from '../support/folder.ts';
import { type Feature, feedOf, lot, writeFeatures } from '../support/ingest.ts';
import { fault } from '../unit/feeds/support.ts';
import { contextFor, readAll, temporaryFolder } from '../unit/formats/make.ts';

/**
 * What is read by people who load data: faults of a feed, of a file, and of what is in it. Other tests hold
 * codes, fields and figures, so that a sentence is reworded in its source and here.
 */
const ROLL =
  'name: a-county\nkind: assessor\nfips: 33019\nroll:\n  source: roll.csv\n  format: csv\n  key: PIN\n';

test.each([
  [`${ROLL}  fromat: csv\n`, 'roll.fromat: is not a property of this section; did you mean format'],
  [ROLL.replace('name: a-county\n', ''), 'name: is required'],
  [ROLL.replace('33019', '"99998"'), 'fips: 99998 is not the FIPS code of a county'],
  [ROLL.replace('fips: 33019\n', ''), 'roll: no county: set fips'],
  [`${ROLL}as_of: 2025-02-30\n`, 'as_of: is not a date'],
  [
    `${ROLL}  columns: { acres: { column: A, date: YYYY } }\n`,
    'date applies only to dates, and this is a number',
  ],
  [`${ROLL}  columns: { vacant: { column: A, values: { V: maybe } } }\n`, "'maybe' is neither yes nor no"],
])('a feed is refused by its line: %s', (text, words) => expect(fault(text)).toContain(words));

const folder = temporaryFolder();

test.each([
  ['roll.csv', 'A,B\n1,2\n3', 'roll.csv is incomplete: its last row has 1 of 2 cells and no line end'],
  ['page.csv', '<!DOCTYPE html><html><head>', 'is a web page'],
])('a file is refused: %s', async (source, content, words) => {
  folder.put(source, content);
  await expect(readAll({ source, format: 'csv' }, contextFor(folder.path))).rejects.toThrow(words);
});

test('a missing file is reported with where it was looked for', async () => {
  await expect(readAll({ source: 'none.csv', format: 'csv' }, contextFor(folder.path))).rejects.toThrow(
    `none.csv is missing (looked for ${join(folder.path, 'none.csv')}). Put the file there or correct the feed's source.`,
  );
});

const place = testFolder();
const check = (features: Feature[], fips: string, more: object = {}) => {
  writeFeatures(join(place, 'lots.ndgeojson'), features);
  const roll = {
    source: 'lots.ndgeojson',
    format: 'ndgeojson',
    key: 'PIN',
    columns: { apn: 'PIN' },
    ...more,
  };
  return checkFeed(feedOf(place, { name: 'lots', kind: 'assessor', fips, roll }));
};
const lots = Array.from({ length: 20 }, (_, n) => ({ properties: { PIN: `P${n}` }, geometry: lot(n) }));

test('invalid contents are refused with the likely cause', async () => {
  expect((await check(lots, '23019')).problems).toEqual([
    expect.stringMatching(/^20 of 20 parcels are outside the county \(23019: .*\)\. Check the CRS\.$/),
  ]);
  const none = { skip_where: [{ column: 'PIN', contains: 'P' }] };
  expect((await check(lots, '33019', none)).problems).toEqual(['roll: The run has no usable rows.']);
});

test('a county without comps says why, and what to do', () => {
  expect(noComps('MT', false).message).toBe("Montana doesn't make sale prices public. Add an MLS feed.");
  expect(noComps('CA', false).message).toContain('California makes only some sale prices public.');
  expect(noComps('NH', false).message).toMatch(/^No sales data: .* Add a sales file or an MLS feed\.$/);
});
