import { describe, expect, test } from 'vitest';
import { normalizeStreet } from '../../../../shared/kernels/owner/street.ts';
import { ABBREVIATIONS } from '../../../../shared/kernels/owner/suffixes.ts';

describe('a street in one spelling', () => {
  test.each([
    ['12 Main Street', '12 MAIN ST'],
    ['12  MAIN ST.', '12 MAIN ST'],
    ['00012 MAIN STR', '12 MAIN ST'],
    ['12 Main Avenue', '12 MAIN AVE'],
    ['12 LAKE FOREST DRIVE', '12 LK FRST DR'],
    ['12 Saint James Blvd', '12 ST JAMES BLVD'],
    ['12 First Ave', '12 1ST AVE'],
    ['12 Café Way', '12 CAFE WAY'],
    ["12 O'Neil Rd", '12 ONEIL RD'],
    ['12 O’Neil Rd', '12 ONEIL RD'],
    ['12 OAK-HILL RD', '12 OAK HL RD'],
    ['12-34 56TH AVE', '12-34 56TH AVE'],
    ['12-B MAIN ST', '12B MAIN ST'],
    ['12 1/2 MAIN ST', '12 1/2 MAIN ST'],
    ['39.2 ROAD', '39.2 RD'],
    ['12 HWY-31', '12 HWY 31'],
  ])('%s is %s', (text, street) => expect(normalizeStreet(text)).toBe(street));

  test.each([
    ['12 NORTH MAIN ST', '12 N MAIN ST'],
    ['12 N. MAIN ST', '12 N MAIN ST'],
    ['12 E.MAIN ST', '12 E MAIN ST'],
    ['12 MAIN ST NORTHWEST', '12 MAIN ST NW'],
    ['12 MAIN ST N.W.', '12 MAIN ST NW'],
    ['12 MAIN ST N. W.', '12 MAIN ST NW'],
    ['12 NORTH LAKE DR', '12 N LK DR'],
    ['12 NORTH STREET', '12 NORTH ST'],
    ['12 N STREET', '12 N ST'],
    ['12 W SOUTH ST APT 3', '12 W SOUTH ST # 3'],
    ['12 N E ST', '12 N E ST'],
  ])('directionals: %s is %s', (text, street) => expect(normalizeStreet(text)).toBe(street));

  test.each([
    '12 MAIN ST APT 4B',
    '12 MAIN ST, APT. #4B',
    '12 MAIN ST APT#4B',
    '12 MAIN ST APT4B',
    '12 MAIN ST Unit 4-B',
    '12 MAIN ST SUITE NO 4B',
    '12 MAIN ST STE # 4B',
    '12 MAIN ST #4B',
  ])('%s is door 4B', text => expect(normalizeStreet(text)).toBe('12 MAIN ST # 4B'));

  test.each([
    ['12 UNIT RD', '12 UNIT RD'],
    ['12 MAIN ST BUILDING 3 FLOOR 2', '12 MAIN ST BLDG 3 FL 2'],
    ['12 MAIN ST #', '12 MAIN ST'],
  ])('units: %s is %s', (text, street) => expect(normalizeStreet(text)).toBe(street));

  test.each([
    'PO BOX 62',
    'P.O. Box 62',
    'P. O. BOX 62',
    'P O BOX 62',
    'P.O.BOX 62',
    'P.O.BOX62',
    'POB 62',
    'P.O.B. 62',
    'PO 62',
    'PO BOX #62',
    'PO BOX NO. 0062',
    'POST OFFICE BOX 62',
    'BOX 62',
    'PO DRAWER 62',
    'LOCK BOX 62',
    '423 WILLOW RD PO BOX 62',
    'PO BOX 62 423 WILLOW RD',
    'C/O JOHN SMITH P.O. BOX 62',
  ])('%s is a box', text => expect(normalizeStreet(text)).toBe('PO BOX 62'));

  test.each(['12 MAIN ST BOX 4', '12 BOXWOOD LN', '12 P O BRIEN RD'])('%s is none', text =>
    expect(normalizeStreet(text)).toBe(text),
  );

  test.each([
    ['RURAL ROUTE 2 BOX 18', 'RR 2 BOX 18'],
    ['R.R. 2 BOX 18', 'RR 2 BOX 18'],
    ['RR#2 BOX #18', 'RR 2 BOX 18'],
    ['RR 2, #18', 'RR 2 BOX 18'],
    ['RFD 2 BOX 018', 'RR 2 BOX 18'],
    ['RD 2 BOX 18', 'RR 2 BOX 18'],
    ['RT 2 BOX 18', 'RR 2 BOX 18'],
    ['R.F.D. NO. 2', 'RR 2'],
    ['STAR ROUTE 2 BOX 18', 'HC 2 BOX 18'],
    ['HC 2 BOX 18', 'HC 2 BOX 18'],
    ['12 ROUTE 31', '12 RTE 31'],
    ['ROUTE 31', 'RTE 31'],
  ])('routes: %s is %s', (text, street) => expect(normalizeStreet(text)).toBe(street));

  test.each([
    ['C/O JANE DOE 12 MAIN ST', '12 MAIN ST'],
    ['c/o Jane Doe, 12 Main St Apt 3', '12 MAIN ST # 3'],
    ['12 MAIN ST C/O JANE DOE', '12 MAIN ST'],
    ['% JANE DOE 12 MAIN ST', '12 MAIN ST'],
    ['ATTN: TAX DEPT 12 MAIN ST', '12 MAIN ST'],
    ['IN CARE OF JANE DOE', 'IN'],
    ['CARE OF JANE DOE 12 MAIN ST', '12 MAIN ST'],
    ['12 MAIN ST C/O DOE % ROE', '12 MAIN ST'],
  ])('names: %s is %s', (text, street) => expect(normalizeStreet(text)).toBe(street));

  test.each([
    null,
    '',
    ' ',
    '#',
    'C/O JANE DOE',
    'UNKNOWN',
    'Address Unknown',
    'N/A',
    'GENERAL DELIVERY',
    '0',
  ])('%s is no address', text => expect(normalizeStreet(text)).toBeNull());

  test('every abbreviation is final', () => {
    for (const short of ABBREVIATIONS.values()) expect(ABBREVIATIONS.get(short) ?? short).toBe(short);
    expect(ABBREVIATIONS.size).toBeGreaterThan(340);
  });
});
