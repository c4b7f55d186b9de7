import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mailLines, shortApn, titleCase } from '../../../shared/model/roll-text.ts';
import { runs } from '../../support/runs.ts';

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
    ['JONES FAMILY TRUST', 'Jones Family Trust'],
    ['STATE OF NEW HAMPSHIRE', 'State of New Hampshire'],
    ['WASHINGTON, TOWN OF', 'Washington, Town of'],
    ['SOCIETY FOR THE PROTECTION OF NH FORESTS', 'Society for the Protection of NH Forests'],
    ['THE NATURE CONSERVANCY', 'The Nature Conservancy'],
    ['HUNT CLUB, THE', 'Hunt Club, The'],
    ['JOHN A AND MARY IN', 'John A and Mary In'],
    ['MCDONALD, IAN', 'McDonald, Ian'],
    ['MACLEOD & MACKEY', 'MacLeod & Mackey'],
    ['MCI', 'Mci'],
    ["D'ANGELO", "D'Angelo"],
    ['RJM PROPERTIES LTD', 'RJM Properties Ltd'],
    ['AT&T INC', 'AT&T Inc'],
    ['SMITH&JONES', 'Smith&Jones'],
    ['SMITH, JOHN SR', 'Smith, John Sr'],
    ['4012 SR 9 UNIT 12B', '4012 SR 9 Unit 12B'],
    ['123RD ST APT3', '123rd St Apt3'],
    ['C/O SMITH ET AL', 'c/o Smith et al'],
    ['MT ST HELENS HWY', 'Mt St Helens Hwy'],
    ['PO BOX 147', 'PO Box 147'],
    ['GARY, IN 46402', 'Gary, IN 46402'],
    ['PORTLAND, OR, 97201', 'Portland, OR, 97201'],
    ['VAN DER BERG', 'Van Der Berg'],
    ['VFW POST 12', 'VFW Post 12'],
    ['', ''],
  ])('%s', (text, shown) => expect(titleCase(text)).toBe(shown));

  test('only the case changes, once', () => {
    const words = fc.constantFrom(
      'OF',
      'SR',
      'AT&T',
      "O'NEIL",
      'MCKAY',
      'NH',
      '12B',
      'C/O',
      'ET AL',
      'ÉMILE',
      ',',
    );
    const text = fc.array(fc.oneof(words, fc.string())).map(parts => parts.join(' '));
    fc.assert(
      fc.property(text, roll => {
        const shown = titleCase(roll);
        expect(shown.toLowerCase()).toBe(roll.toLowerCase());
        expect(titleCase(shown)).toBe(shown);
      }),
      { numRuns: runs(500) },
    );
  });

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
