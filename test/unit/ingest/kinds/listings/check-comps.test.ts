import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noComps } from '../../../../../shared/feeds/no-comps.ts';
import { rootDir } from '../../../../../shared/platform/root.ts';
import { disclosureOf } from '../../../../../shared/regions/disclosure.ts';
import { STATES } from '../../../../../shared/regions/states.ts';
import type { SourceRow } from '../../../../../workers/formats/row-batch.ts';
import { checkFeed } from '../../../../../workers/ingest/check-feed.ts';
import { parseFeed } from '../../../../../workers/ingest/load-feeds.ts';

/** What a check says of the sales of some rows of Colorado's statewide layer, or of another preset. */
async function comps(rows: Record<string, unknown>[], more: object = {}): Promise<string[]> {
  const feed = {
    name: 'p',
    kind: 'assessor',
    fips: '08031',
    preset: 'colorado',
    roll: { source: 'p.ndjson', format: 'ndjson' },
    ...more,
  };
  const given = rows.map((values, i): SourceRow => ({ rowNo: i + 1, values, geometry: null }));
  const check = await checkFeed(parseFeed(JSON.stringify(feed), join(rootDir, 'p.yaml')), {
    async *read() {
      yield { rows: given, bad: [] };
    },
  });
  return check.comps;
}

const sale = (parcel_id: string, salePrice: number, landUseDsc = 'VACANT LAND') => ({
  parcel_id,
  saleDate: '2024-05-01',
  salePrice,
  landUseDsc,
});

test('a roll without a sales section says what each choice would yield', async () => {
  const rows = [sale('1', 90_000), sale('2', 10), sale('3', 350_000, 'CONDO')];
  expect(await comps(rows)).toEqual([
    expect.stringMatching(/^2 rows .*comps.*sales: \{ min_price: 1000 \}.*\b1\b.*vacant/),
  ]);
  const where = [{ column: 'landUseDsc', contains: 'VACANT' }];
  expect(await comps(rows, { sales: { min_price: 1_000, where } })).toEqual([
    expect.stringMatching(/^1 of .*\b3 rows.*comps/),
    expect.stringMatching(/^2 rows .*\$1000.*\b1\b.*vacant/),
  ]);
});

test('deeds over several parcels are counted as in a run', async () => {
  const columns = { apn: 'parcel_id', last_sale_date: 'saleDate', last_sale_price: 'salePrice' };
  const roll = { source: 'p.ndjson', format: 'ndjson', key: 'parcel_id', columns };
  const feed = (sales: object) => ({ preset: undefined, roll, sales: { min_price: 1_000, ...sales } });
  const rows = [
    { ...sale('1', 90_000), DOC: '7' },
    { ...sale('2', 80_000), DOC: '7', saleDate: '2024-05-20' },
    { ...sale('3', 50_000), DOC: '8' },
    { ...sale('4', 50_000), DOC: '9' },
    { ...sale('5', 90_000), DOC: '7', saleDate: '2022-05-01' },
  ];
  const [byDeed] = await comps(rows, feed({ book: 'DOC' }));
  expect(byDeed).toBe('3 of the first 5 rows become comps');
  // Without deeds, what is alike was sold together.
  const [byPrice] = await comps(rows, feed({}));
  expect(byPrice).toBe('3 of the first 5 rows become comps');
  const [marked] = await comps(rows, feed({ multi_parcel: [{ column: 'DOC', equals: '9' }] }));
  expect(marked).toBe('4 of the first 5 rows become comps');
});

test('a roll without comps says why, and what to do', async () => {
  expect(await comps([{ parcel_id: '1' }])).toEqual([noComps('NH', false).message]);
  const montana = { preset: 'montana', fips: '30031' };
  expect(await comps([{ PARCELID: '1' }], montana)).toEqual([
    expect.stringMatching(/^Montana .*prices.*MLS/),
  ]);
  const maryland = { preset: 'maryland', fips: '24031' };
  const improved = { ACCTID: '1', TRADATE: '20240501', CONSIDR1: 500_000, CONVEY1: '1' };
  expect(await comps([improved], maryland)).toEqual([
    expect.stringMatching(/^0 of .*\b1 rows?.*comps/),
    noComps('MD', true).message,
    expect.stringMatching(/^1 rows? .*\$1000.*\b0\b.*vacant/),
    expect.stringMatching(/sale_price_code: 1 1$/),
  ]);
});

test('twelve states withhold prices, seven publish them in part', () => {
  const count = (wanted: string) => STATES.filter(({ code }) => disclosureOf(code) === wanted).length;
  expect([count('no'), count('in_parts')]).toEqual([12, 7]);
  expect([noComps('CA', false).message, noComps('NH', false).message]).toEqual([
    expect.stringContaining('California'),
    expect.not.stringContaining('New Hampshire'),
  ]);
});
