import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FieldType } from '../../../../shared/model/parcel-fields.ts';
import { dateParser } from '../../../../workers/feeds/values/date-value.ts';
import { isFailure, tidyText } from '../../../../workers/feeds/values/text-value.ts';
import { fieldParser } from '../../../../workers/feeds/values/value-parser.ts';

/** What a value becomes, or the reason why it cannot be used. */
function parsed(
  type: FieldType,
  raw: unknown,
  spec: { unit?: string; date?: string; scale?: number } = {},
): unknown {
  const { unit, ...options } = spec;
  const target = unit === undefined ? { type, doc: '' } : { type, doc: '', unit };
  const value = fieldParser('field', target, { ...options, lastYear: 2026 })(raw);
  return isFailure(value) ? value.reason : value;
}

describe('text', () => {
  test.each([
    ['  MAIN   ST\t 4 \n', 'MAIN ST 4'],
    ['A\0B', 'AB'],
    ['', null],
    ['   ', null],
    ['NULL', null],
    ['<Null>', null],
    ['n/a', null],
    ['None', null],
    ['NA', 'NA'],
    ['UNKNOWN', 'UNKNOWN'],
    [undefined, null],
    [Number.NaN, null],
    [12, '12'],
    [false, 'false'],
    [['Barn', 'Shed'], 'Barn, Shed'],
  ])('%j is %j', (raw, text) => expect(tidyText(raw)).toBe(text));

  test('tidying twice changes nothing, and no NUL is left', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '\0', '\t', 'Ü', '\n', '-') }), raw => {
        const once = tidyText(raw);
        expect(tidyText(once)).toBe(once);
        expect(once ?? '').not.toMatch(/[\0\t\n]|\s\s|^\s|\s$/);
      }),
    );
  });
});

describe('numbers and money', () => {
  test.each<[FieldType, unknown, unknown]>([
    ['money', '$1,234,567.50', 1234568],
    ['money', ' 12 ', 12],
    ['money', 12.4, 12],
    ['money', 0, 0],
    ['money', '-5', 'negative'],
    ['money', '(350)', 'negative'],
    ['money', '1,23', 'not_a_number'],
    ['money', '0x1F', 'not_a_number'],
    ['money', '12 acres', 'not_a_number'],
    ['money', '9999999999999', 'out_of_range'],
    ['money', '', null],
    ['integer', '2.00000', 2],
    ['integer', '2.5', 'not_whole'],
    ['integer', -1, 'negative'],
    ['number', '1.5e2', 150],
    ['number', '.5', 0.5],
    ['number', Number.POSITIVE_INFINITY, 'not_a_number'],
    ['year', '1985', 1985],
    ['year', 0, null],
    ['year', 2027, 'out_of_range'],
    ['year', 19, 'out_of_range'],
    ['boolean', 'y', true],
    ['boolean', '0', false],
    ['boolean', false, false],
    ['boolean', 'H', 'not_a_boolean'],
  ])('%s %j is %j', (type, raw, value) => expect(parsed(type, raw)).toBe(value));

  test('0 acres are none stated, negative ones are dropped', () => {
    expect(parsed('number', '0.00000', { unit: 'acres' })).toBeNull();
    expect(parsed('number', '-1', { unit: 'acres' })).toBe('negative');
  });

  test.each<[FieldType, string | undefined, number, number]>([
    ['number', 'acres', 94e6, 1e13],
    ['number', 'square feet', 15e6, 99_999_999],
    ['number', 'USD', 999_999_999_999, 1e15],
    ['money', 'USD', 999_999_999_999, 1e15],
    ['integer', undefined, 5000, 999_999],
    ['integer', 'days', 3650, 44_927],
  ])('%s in %s: %d is taken, %d is a filler', (type, unit, plausible, absurd) => {
    const more = unit === undefined ? {} : { unit };
    expect(parsed(type, plausible, more)).toBe(plausible);
    expect(parsed(type, String(absurd), more)).toBe('out_of_range');
  });

  test('a rate is a percentage', () => {
    expect(parsed('number', '6.25', { unit: 'percent' })).toBe(6.25);
    expect(parsed('number', '625', { unit: 'percent' })).toBe('out_of_range');
  });

  test('values in thousands', () => expect(parsed('money', '12.5', { scale: 1000 })).toBe(12500));

  test('a number written with separators reads back as itself', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999_999 }), value => {
        expect(parsed('money', `$${value.toLocaleString('en-US')}`)).toBe(value);
      }),
    );
  });
});

describe('dates', () => {
  test.each([
    ['2024-03-01', '2024-03-01'],
    ['2024-03-01T23:30:00-05:00', '2024-03-01'],
    ['2024/3/1', '2024-03-01'],
    ['20240301', '2024-03-01'],
    [20240301, '2024-03-01'],
    ['03/01/2024', '2024-03-01'],
    ['3/1/2024 12:00:00 AM', '2024-03-01'],
    [1709251200000, '2024-03-01'],
    ['1709251200000', '2024-03-01'],
    [new Date('2024-03-01T00:00:00Z'), '2024-03-01'],
    ['2024-02-30', 'not_a_date'],
    ['3/1/24', 'not_a_date'],
    ['13/1/2024', 'not_a_date'],
    ['soon', 'not_a_date'],
    ['1799-12-31', 'date_out_of_range'],
    ['2027-01-01', 'date_out_of_range'],
    ['2026-12-31', '2026-12-31'],
    ['00000000', null],
    ['0', null],
    ['', null],
  ])('%j is %j', (raw, day) => expect(parsed('date', raw)).toBe(day));

  test.each([
    ['M/D/YY', '7/4/99', '1999-07-04'],
    ['M/D/YY', '7/4/24', '2024-07-04'],
    ['DD-MON-YYYY', '04-JUL-2019', '2019-07-04'],
    ['YYYY-M', '2024-7', '2024-07-01'],
    ['YYYYMM', '202407', '2024-07-01'],
    ['YYYY', '2024', '2024-01-01'],
    ['D.M.YYYY', '4.7.2024', '2024-07-04'],
    ['MM/DD/YYYY', '7/4/2024', 'not_a_date'],
    ['epoch_s', '1709251200', '2024-03-01'],
    ['epoch_ms', -2208988800000, '1900-01-01'],
    ['ISO', '20240301', 'not_a_date'],
  ])('%s reads %j as %j', (date, raw, day) => expect(parsed('date', raw, { date })).toBe(day));

  test('every day of the range reads back in every format', () => {
    const formats = ['YYYY-MM-DD', 'YYYYMMDD', 'MM/DD/YYYY'];
    const min = new Date('1800-01-01T00:00:00Z');
    const max = new Date('2026-12-31T00:00:00Z');
    fc.assert(
      fc.property(fc.date({ min, max, noInvalidDate: true }), fc.constantFrom(...formats), (date, format) => {
        const day = date.toISOString().slice(0, 10);
        const [y, m, d] = day.split('-') as [string, string, string];
        const written = format.replace('YYYY', y).replace('MM', m).replace('DD', d);
        expect(dateParser(format, 2026)(written)).toBe(day);
        expect(dateParser(undefined, 2026)(written)).toBe(day);
      }),
    );
  });
});

describe('places', () => {
  test.each<[FieldType, unknown, unknown]>([
    ['zip', '03280', '03280'],
    ['zip', '03280-0473', '03280'],
    ['zip', '032800473', '03280'],
    ['zip', 3280, '03280'],
    ['zip', '3280', '03280'],
    ['zip', 32800473, '03280'],
    ['zip', '501', '00501'],
    ['zip', '3280.0', '03280'],
    ['zip', '00000', null],
    ['zip', '00000-0000', null],
    ['zip', 'M4V1H', 'not_a_zip'],
    ['zip', '12', 'not_a_zip'],
    ['state', 'nh', 'NH'],
    ['state', 'New Hampshire', 'NH'],
    ['state', 'N.H.', 'NH'],
    ['state', 'ae', 'AE'],
    ['state', 'ON', 'not_a_state'],
    ['state', ' ', null],
  ])('%s %j is %j', (type, raw, value) => expect(parsed(type, raw)).toBe(value));
});
