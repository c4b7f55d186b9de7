import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PARCEL_FIELD_NAMES, type ParcelField } from '../../../../../shared/model/parcel-fields.ts';
import type { KeySpec } from '../../../../../workers/feeds/column-schema.ts';
import { compileKey } from '../../../../../workers/ingest/engine/map-fields.ts';
import { compileParcelMapper } from '../../../../../workers/ingest/kinds/assessor/map-parcel.ts';
import { parseFeed } from '../../../../../workers/ingest/load-feeds.ts';

type Values = Record<string, unknown>;

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date('2025-09-28') }));
afterAll(() => void vi.useRealTimers());

function mapper(roll: Record<string, unknown>, top: Record<string, unknown> = { fips: '33019' }) {
  const text = JSON.stringify({
    name: 'a',
    kind: 'assessor',
    ...top,
    roll: { source: 'a.csv', format: 'csv', key: 'PIN', ...roll },
  });
  const feed = parseFeed(text, '/feeds/a.json');
  if (feed.kind !== 'assessor') throw new Error('not an assessor feed');
  return compileParcelMapper(feed.roll, { fips: feed.fips, sales: feed.sales });
}

const row = (values: Values, rowNo = 1) => ({ rowNo, values, geometry: null });

/** The one field's value, or the reason why it was dropped. */
function mapped(field: ParcelField, column: unknown, values: Values): unknown {
  const result = mapper({ columns: { [field]: column } })(row({ PIN: 1, ...values }));
  if (!result.ok) throw new Error(result.message);
  return result.dropped?.[0]?.reason ?? result.values[PARCEL_FIELD_NAMES.indexOf(field)];
}

describe('texts', () => {
  const read = (zoning: string) => {
    const result = mapper({ columns: { zoning_code: 'ZONE', apn: 'APN' } })(row({ PIN: 1, ZONE: zoning }));
    if (!result.ok) throw new Error(result.message);
    return { text: result.values[PARCEL_FIELD_NAMES.indexOf('zoning_code')], dropped: result.dropped };
  };

  test('up to 4,096 characters are kept, longer ones are cut there and reported', () => {
    expect(read('z'.repeat(4_096))).toEqual({ text: 'z'.repeat(4_096), dropped: null });
    expect(read(`${'z'.repeat(4_095)} tail`)).toEqual({
      text: 'z'.repeat(4_095),
      dropped: [
        {
          field: 'zoning_code',
          reason: 'cut',
          message: expect.stringMatching(/^'z{59}…' .*\b4100\b.*\b4096\b/),
        },
      ],
    });
  });

  test('are not cut in the middle of a surrogate pair', () => {
    expect(read(`${'z'.repeat(4_095)}🌲`).text).toBe('z'.repeat(4_095));
  });
});

describe('keys', () => {
  const key = (spec: KeySpec, values: Values) => compileKey(spec, name => name)(values);
  const parts = { columns: ['MAP', 'LOT', 'SUB'] };
  const bare = { ...parts, strip_leading_zeros: true, drop_empty: true };

  test.each<[KeySpec, Values, string | null]>([
    [{ columns: ['PIN'] }, { PIN: ' 12 a-3\0 ' }, '12A-3'],
    [{ columns: ['PIN'] }, { PIN: 4711 }, '4711'],
    [{ columns: ['PIN'] }, { PIN: '0012' }, '0012'],
    [{ columns: ['PIN'] }, { PIN: 'NULL' }, null],
    [{ columns: ['PIN'] }, {}, null],
    [bare, { MAP: '000010', LOT: '000012', SUB: '000000' }, '10-12'],
    [bare, { MAP: '000010', LOT: '000012', SUB: '00000A' }, '10-12-A'],
    [bare, { MAP: '000000', LOT: '', SUB: null }, null],
    [parts, { MAP: 'R1', LOT: null, SUB: 'B' }, 'R1--B'],
    [{ ...parts, join: '/' }, { MAP: '1', LOT: '2', SUB: '3' }, '1/2/3'],
    [
      { columns: ['$id'], split: '-', strip_leading_zeros: true, drop_empty: true },
      { $id: '11-10-01' },
      '11-10-1',
    ],
  ])('%j of %j is %j', (spec, values, expected) => expect(key(spec, values)).toBe(expected));

  test('padding and white space never make a different key', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(99_999), { minLength: 3, maxLength: 3 }),
        fc.nat(6),
        ([map, lot, sub], width) => {
          const padded = (n = 0) => ` ${String(n).padStart(width, '0')} `;
          expect(key(bare, { MAP: padded(map), LOT: padded(lot), SUB: padded(sub) })).toBe(
            key(bare, { MAP: map, LOT: lot, SUB: sub }),
          );
        },
      ),
    );
  });
});

describe('columns', () => {
  test('joined, without the empty ones', () => {
    const column = { columns: ['NO', 'STREET'] };
    expect(mapped('situs_address', column, { NO: '12', STREET: 'VALLEY  RD' })).toBe('12 VALLEY RD');
    expect(mapped('situs_address', column, { NO: '', STREET: 'VALLEY RD' })).toBe('VALLEY RD');
    expect(mapped('situs_address', column, {})).toBeNull();
  });

  test('added up', () => {
    const column = { columns: ['BLD', 'FEAT'], sum: true };
    expect(mapped('assessed_improvement_value', column, { BLD: '1,000', FEAT: 250 })).toBe(1250);
    expect(mapped('assessed_improvement_value', column, { BLD: 1000 })).toBe(1000);
    expect(mapped('assessed_improvement_value', column, {})).toBeNull();
    expect(mapped('assessed_improvement_value', column, { BLD: 'x', FEAT: 1 })).toBe('not_a_number');
  });

  test('listed values are recoded, and others are unchanged', () => {
    const column = { column: 'ST', values: { MASS: 'MA', '': null } };
    expect(mapped('mail_state', column, { ST: ' mass ' })).toBe('MA');
    expect(mapped('mail_state', column, { ST: 'Maine' })).toBe('ME');
    expect(mapped('mail_state', column, { ST: 'Ontario' })).toBe('not_a_state');
    expect(mapped('mail_state', column, {})).toBeNull();
  });

  test('otherwise applies to everything that is not listed, including empty values', () => {
    const column = { column: 'HS', values: { Y: true, 'N/A': null }, otherwise: false };
    expect(mapped('owner_occupied', column, { HS: 'y' })).toBe(true);
    expect(mapped('owner_occupied', column, { HS: 'x' })).toBe(false);
    expect(mapped('owner_occupied', column, {})).toBe(false);
    expect(mapped('owner_occupied', column, { HS: 'N/A' })).toBeNull();
    const known = { column: 'HS', values: { Y: true, '': null }, otherwise: false };
    expect(mapped('owner_occupied', known, { HS: 'NULL' })).toBeNull();
    expect(mapped('owner_occupied', known, { HS: 'x' })).toBe(false);
  });

  test('ranges of numbers are recoded: the first range that contains the number', () => {
    const ranges = [{ below: 1, value: 'rural' }, { below: 5.5, value: 'low' }, { value: 'high' }];
    const column = { column: 'DENSITY', values: { '-1': null }, ranges };
    const zones = [0, '0.99', 1, '5.49', 5.5, '1,200', -1, '', null, 'PUD'].map(DENSITY =>
      mapped('zoning_code', column, { DENSITY }),
    );
    expect(zones).toEqual(['rural', 'rural', 'low', 'low', 'high', 'high', null, null, null, 'PUD']);
    const closed = { column: 'DENSITY', ranges: ranges.slice(0, 2), otherwise: 'unknown' };
    expect([7, 'PUD', ''].map(DENSITY => mapped('zoning_code', closed, { DENSITY }))).toEqual(
      Array(3).fill('unknown'),
    );
  });

  test('the first of several that has a value; an error only if none does', () => {
    const column = { first_of: ['A', { column: 'B', unit: 'sqft' }] };
    expect(mapped('acres', column, { A: 2, B: 43_560 })).toBe(2);
    expect(mapped('acres', column, { A: 0, B: 43_560 })).toBe(1);
    expect(mapped('acres', column, { A: 'x', B: 43_560 })).toBe(1);
    expect(mapped('acres', column, { A: 'x', B: '' })).toBe('not_a_number');
  });

  test.each([
    ['sqft', 10_890, 0.25],
    ['sqft', 9_500, 0.218_09],
    ['sqm', 4_046.856_422_4, 1],
    ['hectares', 0.404_685_642_24, 1],
    ['acres', 3, 3],
  ])('%s: %d is %d acres to five decimals', (unit, area, acres) => {
    expect(mapped('acres', { column: 'A', unit }, { A: area })).toBe(acres);
  });

  test('a fixed value', () => expect(mapped('situs_state', { value: 'New Hampshire' }, {})).toBe('NH'));

  test('an unusable value is null and reported, with its text', () => {
    const result = mapper({ columns: { mail_zip: 'ZIP', acres: 'ACRES' } })(
      row({ PIN: 1, ZIP: 'M4V1H', ACRES: -2 }),
    );
    expect(result).toMatchObject({
      ok: true,
      dropped: [
        { field: 'acres', reason: 'negative', message: expect.stringMatching(/^'-2' /) },
        { field: 'mail_zip', reason: 'not_a_zip', message: expect.stringMatching(/^'M4V1H' /) },
      ],
    });
    expect(result.ok && result.values.every(value => value === null)).toBe(true);
  });
});

describe('rows', () => {
  test('a row without a key is rejected', () => {
    expect(mapper({})(row({ PIN: ' ' }))).toMatchObject({ ok: false, field: 'key', reason: 'missing_key' });
  });

  test.each([
    [{ fips: '33019' }, 'F', '33019', 33019],
    [{ fips: '33019' }, 'F', '', 33019],
    [{ fips: '33019' }, 'F', '33021', 'wrong_fips'],
    [{}, 'F', 1001, 1001],
    [{}, 'F', '01001', 1001],
    [{}, 'F', '99999', 'unknown_fips'],
    [{}, 'F', '33020', 'unknown_fips'],
    [{}, 'F', 'Sullivan', 'unknown_fips'],
    [{}, 'F', '', 'missing_fips'],
    [{}, { columns: ['S', 'C'] }, '', 33019],
  ])('feed %j, column %j, row %j: county %j', (top, fips, value, expected) => {
    const result = mapper({ columns: { fips } }, top)(row({ PIN: 1, F: value, S: 33, C: '19' }));
    expect(result.ok ? result.fips : result.reason).toBe(expected);
  });

  test('skip_where leaves out rows to which any condition applies', () => {
    const map = mapper({
      skip_where: [
        { column: 'TYPE', in: ['Road', 'Water'] },
        { column: 'AREA', min: 1, max: 5 },
        { column: 'GONE', present: true },
      ],
    });
    const outcome = (values: Values) => {
      const result = map(row({ PIN: 1, ...values }));
      return result.ok ? 'mapped' : result.reason;
    };
    expect(outcome({})).toBe('mapped');
    expect(outcome({ TYPE: 'ROAD' })).toBe('skipped');
    expect(outcome({ TYPE: 'LOT', AREA: '3' })).toBe('skipped');
    expect(outcome({ AREA: '6' })).toBe('mapped');
    expect(outcome({ GONE: 'x' })).toBe('skipped');
  });

  test('a sale needs its conditions, its minimum price, and a day', () => {
    const map = mapper(
      { columns: { last_sale_date: 'DATE', last_sale_price: 'PRICE' } },
      {
        fips: '33019',
        sales: {
          where: [
            { column: 'IMPR', equals: 'V' },
            { column: 'QUAL', not_in: ['U', ''] },
          ],
          min_price: 1000,
        },
      },
    );
    const sale = (values: Values) => {
      const result = map(row({ PIN: 1, DATE: '20240913', PRICE: 30_000, IMPR: 'V', QUAL: 'Q', ...values }));
      return result.ok && result.sale;
    };
    expect(sale({})).toBe(true);
    expect(sale({ IMPR: 'I' })).toBe(false);
    expect(sale({ QUAL: '' })).toBe(false);
    expect(sale({ PRICE: 999 })).toBe(false);
    expect(sale({ PRICE: 1000 })).toBe(true);
    expect(sale({ DATE: null })).toBe(false);
  });
});

describe('column names', () => {
  test("a source's own spelling is found: case, and dBASE's ten characters", () => {
    const map = mapper({ columns: { acres: 'Acres', land_use_code: 'STAT_LAND_USE' } });
    const source = row({ pin: 1, ACRES: 2, stat_land_: 'D1' });
    map.prepare([source]);
    expect(map(source)).toMatchObject({ ok: true, key: '1' });
    const result = map(source);
    expect(result.ok && result.values.filter(value => value !== null)).toEqual([2, 'D1']);
  });

  test('a column that no row has is an error with its name and similar names', () => {
    const map = mapper({
      columns: { acres: 'ACRAGE', owner_name: 'OWNR', vacant: { column: 'VAC', optional: true } },
      skip_where: [{ column: 'KIND', equals: 'x' }],
    });
    expect(() => map.prepare([row({ PIN: 1, ACREAGE: 1 }), row({ PIN: 2, OWNER: 'X' })])).toThrowError(
      expect.objectContaining({
        code: 'feed_mapping',
        message: expect.stringMatching(
          /^columns\.acres: .*ACRAGE.* ACREAGE\?\ncolumns\.owner_name: .*OWNR.* OWNER\?\nskip_where: .*KIND.* PIN, ACREAGE, OWNER\.$/,
        ),
      }),
    );
  });

  test('an optional column that the source lacks is null, not its otherwise', () => {
    const map = mapper({
      columns: { owner_occupied: { column: 'HS', values: { Y: true }, otherwise: false, optional: true } },
    });
    const source = row({ PIN: 1 });
    map.prepare([source]);
    expect(map(source)).toMatchObject({ ok: true, values: PARCEL_FIELD_NAMES.map(() => null) });
  });

  test('rows may lack cells that others have', () => {
    const map = mapper({ columns: { acres: 'ACRES' } });
    map.prepare([row({ PIN: 1 }), row({ PIN: 2, ACRES: 3 })]);
    expect(map(row({ PIN: 1 }))).toMatchObject({ ok: true, dropped: null });
  });
});
