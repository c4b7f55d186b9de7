import { describe, expect, test } from 'vitest';
import { mailLines, shortApn, titleCase } from '../../../shared/model/roll-text.ts';

describe("a roll's texts as people write them", () => {
  test.each([
    ['N MAIN ST', 'N Main St'],
    ['ELLERY, FELIX F', 'Ellery, Felix F'],
    ["O'BRIEN-SMITH", "O'Brien-Smith"],
    ["JOHN'S PLACE LLC", "John's Place LLC"],
    ['1ST AVE NW', '1st Ave NW'],
    ['1015 SO MAIN ST, WASHINGTON, NH 03280', '1015 So Main St, Washington, NH 03280'],
    ['SMITH, JO', 'Smith, Jo'],
    ['MÜLLER III', 'Müller III'],
    ['van Dyke Rd', 'van Dyke Rd'],
    ['', ''],
  ])('%s', (text, shown) => expect(titleCase(text)).toBe(shown));

  test.each([
    ['000007 000044 000000', '7-44'],
    ['000007 000044 000001', '7-44-1'],
    ['000000 000000 000000', '0'],
    ['000009 000026 00000C', '9-26-C'],
    ['000023 000047 000DAM', '23-47-DAM'],
    ['R20-001-C', 'R20-001-C'],
    ['007-044', '007-044'],
    ['12 44', '12 44'],
    ['0012A 044', '0012A 044'],
  ])('parcel number %s', (apn, shown) => expect(shortApn(apn)).toBe(shown));

  test('mailing addresses, without unknown parts', () => {
    const mail = {
      mail_address: '862 POPLAR AVE',
      mail_city: 'NORWALK',
      mail_state: 'CT',
      mail_zip: '06854',
    };
    expect(mailLines(mail)).toEqual(['862 Poplar Ave', 'Norwalk, CT 06854']);
    expect(mailLines({ ...mail, mail_address: null, mail_zip: null })).toEqual(['Norwalk, CT']);
    expect(mailLines({ ...mail, mail_city: null })).toEqual(['862 Poplar Ave', 'CT 06854']);
    expect(mailLines({ mail_address: null, mail_city: null, mail_state: null, mail_zip: null })).toEqual([]);
  });
});
