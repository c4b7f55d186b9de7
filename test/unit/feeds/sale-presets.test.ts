import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rootDir } from '../../../shared/platform/root.ts';
import { salePresetOf } from '../../../workers/feeds/suggest/sale-file.ts';
import { suggestColumns } from '../../../workers/feeds/suggest/suggest-columns.ts';
import { readInput } from '../../../workers/formats/read-format.ts';
import type { SourceRow } from '../../../workers/formats/row-batch.ts';
import { compileRecordedMapper } from '../../../workers/ingest/kinds/listings/sales-recipe.ts';
import { parseFeed } from '../../../workers/ingest/load-feeds.ts';
import { listings } from './support.ts';

const folder = join(rootDir, 'test', 'fixtures', 'feeds', 'sales');
const context = { baseDir: folder, tmpDir: '/tmp', signal: new AbortController().signal, env: {} };

/** What a preset makes of the rows of its program: parcel, county, day, price, whether it is a comp, deed. */
async function sales(preset: string, fips: string | null, source = 'statewide.ndjson', format = 'ndjson') {
  const skip_where = format === 'ndjson' ? [{ column: 'preset', not_in: [preset] }] : [];
  const section = { source, format, skip_where };
  const feed = { name: 's', kind: 'listings', preset, listings: section, ...(fips && { fips }) };
  const { listings: input } = listings(parseFeed(JSON.stringify(feed), join(folder, 's.yaml')));
  const map = compileRecordedMapper(input, input.recorded!);
  const rows: SourceRow[] = [];
  for await (const batch of readInput(input.input, context)) rows.push(...batch.rows);
  map.prepare(rows);
  return rows.flatMap(row => {
    const mapped = map(row);
    if (!mapped.ok) return mapped.reason === 'skipped' ? [] : [mapped.reason];
    const [day, price] = [mapped.values.find(value => /^\d{4}-/.test(String(value))), mapped.values];
    const usd = price.filter(value => typeof value === 'number' && value >= 0).at(-1);
    const deed = `${mapped.deed.book ?? '-'} ${mapped.deed.several ?? '?'}`;
    const prior = (mapped.prior ?? []).map(each => `${each.date} ${each.price}`);
    return [[mapped.key, mapped.fips, day, usd, mapped.sale ? 'comp' : 'none', deed, ...prior].join(' | ')];
  });
}

test('Florida: qualified sales of vacant land, by month, with the codes for several parcels', async () => {
  expect(await sales('florida_sdf', '12086', 'florida-sdf.csv', 'csv')).toEqual([
    '0821280040031 | 12086 | 2024-07-01 | 90000 | comp | 34321/0917 false',
    '0821280040032 | 12086 | 2026-02-01 | 72500 | comp | 35100/0044 false',
    '0821280040033 | 12086 | 2026-02-01 | 410000 | none | 35100/0045 false',
    '0821280040034 | 12086 | 2026-03-01 | 100 | none | 35101/0001 false',
    '0821280040035 | 12086 | 2026-04-01 | 250000 | comp | 35200/0300 true',
    '0821280040036 | 12086 | 2026-04-01 | 81000 | comp | 35201/0012 false',
    '0821280040037 | 12086 | 2026-04-01 | 81000 | comp | 35201/0088 false',
  ]);
});

test('New Jersey: usable sales of class 1 in the county, by the key of the tax list', async () => {
  expect(await sales('new_jersey_sr1a', '34025', 'new-jersey-sr1a.txt', 'fixed_width')).toEqual([
    '1310_29.02_4 | 34025 | 2026-01-14 | 118500 | comp | 09401/00017 false',
    '1310_30_5.01 | 34025 | 2026-02-20 | 95000 | comp | 09402/00100 false',
    '1310_30_6 | 34025 | 2026-02-21 | 455000 | none | 09402/00105 false',
    '1310_30_7 | 34025 | 2026-02-22 | 60000 | none | 09402/00109 false',
  ]);
});

test.each([
  [
    'maryland_sales',
    '24031',
    [
      '1601009999 | 24031 | 2025-11-03 | 140000 | comp | - ?',
      '1601009998 | 24031 | 2025-11-04 | 0 | none | - ?',
      '1601009997 | 24031 | 2025-11-04 | 600000 | none | - ?',
    ],
  ],
  [
    'maryland_assessments',
    '24031',
    ['1601009999 | 24031 | 2025-11-03 | 140000 | comp | - ? | 2019-02-01 90000'],
  ],
  [
    'district_of_columbia_sales',
    null,
    [
      '05420814 | 11001 | 2026-03-02 | 350000 | comp | - false',
      '05420815 | 11001 | 2026-03-02 | 900000 | none | - false',
      '05420816 | 11001 | 2026-03-03 | 150000 | none | - true',
    ],
  ],
  [
    'vermont_transfers',
    '50001',
    [
      '093-029-10123 | 50001 | 2025-08-15 | 64000 | comp | - ?',
      '093-029-10124 | 50001 | 2025-08-15 | 64000 | none | - ?',
      '093-029-10125 | 50001 | 2025-08-15 | 364000 | none | - ?',
    ],
  ],
  [
    'new_york_salesweb',
    '36031',
    [
      '152089-12.-3-4.1 | 36031 | 2025-06-14 | 38000 | comp | 1201/88 false',
      '152089-12.-3-4.2 | 36031 | 2025-06-15 | 38000 | comp | 1201/90 true',
      '152089-12.-3-4.3 | 36031 | 2025-06-15 | 138000 | none | 1201/91 false',
    ],
  ],
  [
    'illinois_ptax',
    '17111',
    [
      '12-34-567-890 | 17111 | 2026-02-03 | 52000 | comp | - false',
      '12-34-567-891 | 17111 | 2026-02-03 | 52000 | none | - false',
    ],
  ],
  [
    'cook_county_sales',
    null,
    [
      '12345678900000 | 17031 | 2025-05-06 | 77000 | comp | - false',
      '12345678910000 | 17031 | 2025-05-07 | 9000 | none | - false',
    ],
  ],
  [
    'connecticut_sales',
    '09190',
    [
      'DANBURY-250012-2025 | 9190 | 2025-11-20 | 110000 | comp | - ?',
      'DANBURY-250013-2025 | 9190 | 2025-11-21 | 110000 | none | - ?',
    ],
  ],
])('%s', async (preset, fips, expected) => {
  expect(await sales(preset, fips)).toEqual(expected);
});

test('a sales file of another county yields none', async () => {
  expect(await sales('new_jersey_sr1a', '34013', 'new-jersey-sr1a.txt', 'fixed_width')).toEqual([]);
});

test("a sales file is recognized by its columns; a roll isn't one", () => {
  const header = (name: string) => readFileSync(join(folder, name), 'utf8').split('\n', 1)[0]!.split(',');
  expect(salePresetOf(header('florida-sdf.csv'))).toBe('florida_sdf');
  expect(salePresetOf(header('../presets/florida-nal.csv'))).toBeUndefined();
  const upper = ['SSL', 'SALE_DATE', 'SALE_PRICE', 'QUALIFIED', 'SALE_CODE', 'OBJECTID'];
  expect(salePresetOf(upper)).toBe('district_of_columbia_sales');
  expect(salePresetOf(['PIN', 'OWNER', 'SALE_DATE', 'SALE_PRICE'])).toBeUndefined();
});

test('the recording date of a plat is a sale date only if there is a price', () => {
  const days = ['2001-04-05', '1998-11-30', '2015-06-17', '2020-01-02', '1987-09-09'];
  const prices = ['90000', '125000', '64500', '72000', '88000'];
  const mapped = (...columns: { name: string; values: string[] }[]) =>
    suggestColumns({ columns, acres: [] }).fields.find(({ field }) => field === 'last_sale_date')?.mapped
      ?.columns ?? null;
  const recorded = { name: 'RECORD_DATE', values: days };
  expect(mapped(recorded)).toBeNull();
  expect(mapped(recorded, { name: 'SALE_PRICE', values: prices })).toEqual(['RECORD_DATE']);
});
