import { describe, expect, test } from 'vitest';
import type { ParcelTarget } from '../../../workers/feeds/parcel-targets.ts';
import { type Sample, suggestColumns } from '../../../workers/feeds/suggest/suggest-columns.ts';
import { columnLines } from '../../../workers/feeds/suggest/write-feed.ts';

describe('content overrides a name', () => {
  const column = (name: string, values: unknown[]) => ({ name, values });
  const best = (sample: Sample, field: ParcelTarget) =>
    suggestColumns(sample).fields.find(each => each.field === field)?.mapped?.spec ?? null;
  const acres = Array.from({ length: 40 }, (_, i) => 0.5 + i / 7);

  test('the measured area reveals the unit of a stated one, whatever its name', () => {
    const inUnit = (factor: number) => ({
      acres,
      columns: [
        column(
          'ACRES',
          acres.map(value => value * factor),
        ),
      ],
    });
    expect(best(inUnit(1), 'acres')).toEqual({ column: 'ACRES' });
    expect(best(inUnit(43_560), 'acres')).toEqual({ column: 'ACRES', unit: 'sqft' });
    expect(best(inUnit(4046.86), 'acres')).toEqual({ column: 'ACRES', unit: 'sqm' });
    // Neither acres nor any other unit: something else.
    expect(best(inUnit(317), 'acres')).toBeNull();
  });

  test('a parcel number in a column with an unclear name is found if the catalog names the column', () => {
    const columns = [
      column(
        'SSL',
        acres.map((_, i) => `0${i} ${i * 7}`),
      ),
      column(
        'OBJECTID',
        acres.map((_, i) => 7 * i),
      ),
    ];
    const keyOf = (key?: string) => suggestColumns({ acres, columns, key }).key?.columns;
    expect([keyOf(), keyOf('ssl'), keyOf('OBJECTID')]).toEqual([['OBJECTID'], ['SSL'], ['OBJECTID']]);
  });

  test('a row number is not a parcel number, an empty column is nothing, an amount of zeros is no value', () => {
    const rows = acres.map((_, i) => i);
    const [blank, zeros] = [rows.map(() => ' '), rows.map(() => 0)];
    const counted = suggestColumns({ acres, columns: [column('PIN', rows)] });
    expect([counted.fields, counted.key?.confidence]).toEqual([[], 0.5]);
    const columns = [column('PIN', blank), column('MARKET_VALUE', zeros)];
    expect(suggestColumns({ acres, columns })).toEqual({ key: null, fields: [] });
  });

  test('without parcel numbers, a unique id is suggested as the key, with a note', () => {
    const rows = acres.map((_, i) => i);
    const key = (...columns: [string, unknown[]][]) =>
      suggestColumns({ acres, columns: columns.map(([name, values]) => column(name, values)) }).key;
    expect(key(['OBJECTID_1', rows], ['gid', rows])?.columns).toEqual(['gid']);
    const repeated = rows.map(i => i % 7);
    expect(key(['id', repeated], ['HOUSE', rows])).toBeNull();
    const found = suggestColumns({ acres, columns: [column('gid', rows)] });
    expect(columnLines(found)[0]).toMatch(/^ {2}key: gid {2}# 50%: .*parcel number/);
  });

  test('values without a kind get the kind of the others, or else assessed', () => {
    const money = acres.map((_, i) => 10_000 + 531 * i);
    const fields = (...names: string[]) =>
      suggestColumns({
        acres,
        columns: names.map((name, at) =>
          column(
            name,
            money.map(value => value * (at + 2)),
          ),
        ),
      }).fields.flatMap(({ field, mapped }) => (mapped ? [`${field}: ${mapped.columns.join('+')}`] : []));
    expect(fields('total_value', 'land_value', 'building_value')).toEqual([
      'assessed_total_value: total_value',
      'assessed_land_value: land_value',
      'assessed_improvement_value: building_value',
    ]);
    expect(fields('MKT_VALUE', 'LAND_VAL', 'IMPROVEMENT_VALUE')).toEqual([
      'market_total_value: MKT_VALUE',
      'market_land_value: LAND_VAL',
      'market_improvement_value: IMPROVEMENT_VALUE',
    ]);
  });

  test('dates are read in the format that all of them have', () => {
    const dates = (value: (i: number) => string) => ({
      acres: [],
      columns: [
        column(
          'SALE_DATE',
          acres.map((_, i) => value(i)),
        ),
      ],
    });
    expect(
      best(
        dates(i => `2020-01-${String((i % 28) + 1).padStart(2, '0')}`),
        'last_sale_date',
      ),
    ).toEqual({ column: 'SALE_DATE' });
    expect(
      best(
        dates(i => `01/${String((i % 28) + 1).padStart(2, '0')}/99`),
        'last_sale_date',
      ),
    ).toEqual({ column: 'SALE_DATE', date: 'MM/DD/YY' });
    expect(
      best(
        dates(i => `lot ${i}`),
        'last_sale_date',
      ),
    ).toBeNull();
  });

  test("a city beside several states is the owner's", () => {
    const columns = [
      column(
        'ADDRESS',
        acres.map((_, i) => `PO BOX ${i}`),
      ),
      column(
        'CITY',
        acres.map((_, i) => `TOWN ${'ABCDEFGH'[i % 8]}`),
      ),
      column(
        'STATE',
        acres.map((_, i) => (i % 3 ? 'NH' : 'MA')),
      ),
    ];
    expect([
      best({ acres, columns }, 'mail_city'),
      best({ acres, columns }, 'mail_address'),
      best({ acres, columns }, 'situs_city'),
    ]).toEqual([{ column: 'CITY' }, { column: 'ADDRESS' }, null]);
  });
});
