import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LINE_PARTS, splitAddress } from '../../../workers/feeds/values/address-value.ts';
import { readInput } from '../../../workers/formats/read-format.ts';
import { fault, feedOf, sampleFeeds } from './support.ts';

const split = (line: string) => LINE_PARTS.map(part => splitAddress(line)[part] ?? '').join(' | ');

// Of the forms in which Wisconsin (PSTLADRESS), West Virginia (FullOwnerAddress), New Jersey (CITY_STATE) and
// Minnesota (own_add_l1 to l4) publish them.
test.each([
  ['5005 NEWPORT DR STE 501 ROLLING MEADOWS, IL', '5005 NEWPORT DR STE 501 | ROLLING MEADOWS | IL | '],
  ['456 OAK AVE MADISON WI 53704', '456 OAK AVE | MADISON | WI | 53704'],
  ['1 EXAMPLE RD, ANYTOWN, WI  50000', '1 EXAMPLE RD | ANYTOWN | WI | 50000'],
  ['PO BOX 12, EAU CLAIRE, WI 54702-0012', 'PO BOX 12 | EAU CLAIRE | WI | 54702-0012'],
  ['N1234 COUNTY RD KK FOND DU LAC WI 54937', 'N1234 COUNTY RD KK | FOND DU LAC | WI | 54937'],
  ['W225S5555 GUTHRIE RD, WAUKESHA, WI 53189', 'W225S5555 GUTHRIE RD | WAUKESHA | WI | 53189'],
  ['C/O J DOE 12 ELM ST, LA CROSSE, WI  54601', 'C/O J DOE 12 ELM ST | LA CROSSE | WI | 54601'],
  ['RR 1 BOX 116, PRAIRIE DU CHIEN, WI', 'RR 1 BOX 116 | PRAIRIE DU CHIEN | WI | '],
  ['HC 65 BOX 21 MARLINTON WV 24954', 'HC 65 BOX 21 | MARLINTON | WV | 24954'],
  ['12 MAIN ST APT 4 ST ALBANS WV 25177-1234', '12 MAIN ST APT 4 | ST ALBANS | WV | 25177-1234'],
  ['12 MAIN ST ST PAUL MN 55101', '12 MAIN ST | ST PAUL | MN | 55101'],
  ['123 MAIN ST NE MINNEAPOLIS MN 55413', '123 MAIN ST NE | MINNEAPOLIS | MN | 55413'],
  ['123 W MAIN ST E LANSING MI 48823', '123 W MAIN ST | E LANSING | MI | 48823'],
  [
    'JOHN DOE, 12345 COUNTY RD 5, GRAND RAPIDS MN 55744',
    'JOHN DOE, 12345 COUNTY RD 5 | GRAND RAPIDS | MN | 55744',
  ],
  ['100 MAIN ST, APT 4 MADISON WI 53704', '100 MAIN ST, APT 4 | MADISON | WI | 53704'],
])('%s', (line, parts) => expect(split(line)).toBe(parts));

test.each([
  ['JERSEY CITY, NJ', ' | JERSEY CITY | NJ | '],
  ['ST PETERSBURG FL', ' | ST PETERSBURG | FL | '],
  ['EGG HARBOR TOWNSHIP N J', ' | EGG HARBOR TOWNSHIP | NJ | '],
  ['NEW YORK, N.Y.', ' | NEW YORK | NY | '],
  ['UPPER SADDLE RIVER, NEW JE', ' | UPPER SADDLE RIVER | NJ | '],
  ['WASHINGTON DC 20001-1234', ' | WASHINGTON | DC | 20001-1234'],
  ['NEW YORK NEW YORK 10001', ' | NEW YORK | NY | 10001'],
])('city and state: %s', (line, parts) => expect(split(line)).toBe(parts));

test.each([
  ['12 OAK CT', '12 OAK CT |  |  | '],
  ['912 STONEHENGE DR EDMOND', '912 STONEHENGE DR EDMOND |  |  | '],
  ['PORT WASHINGTON', 'PORT WASHINGTON |  |  | '],
  ['TORONTO ON M5V 2T6', 'TORONTO ON M5V 2T6 |  |  | '],
  ['100 BROADWAY NEW YORK NY 10006', '100 BROADWAY NEW YORK |  | NY | 10006'],
  ['12 N ST MARYS ST SALEM OR 97301', '12 N ST MARYS ST SALEM |  | OR | 97301'],
  ['757 MAIN ST E LANSING MI 48823', '757 MAIN ST E LANSING |  | MI | 48823'],
])('what cannot be told stays together: %s', (line, parts) => expect(split(line)).toBe(parts));

test('real addresses in parts, written in one line, are parted as they were', async () => {
  const context = { baseDir: sampleFeeds, tmpDir: '/tmp', signal: new AbortController().signal, env: {} };
  const source = { source: '../data/washington_nh/assessor-2025.dbf', format: 'dbf' } as const;
  const counts = { right: 0, whole: 0, wrong: 0 };
  for await (const { rows } of readInput(source, context))
    for (const { values } of rows) {
      const [street, city, state, zip] = ['ADDRESS', 'CITY', 'STATE', 'ZIP'].map(name =>
        String(values[name] ?? '')
          .replace(/\s+/g, ' ')
          .trim(),
      );
      if (!street || !city || !state) continue;
      const parts = splitAddress(`${street} ${city} ${state} ${zip}`);
      if (parts.city === null) counts.whole++;
      else
        counts[parts.street === street && parts.city === city && parts.state === state ? 'right' : 'wrong']++;
    }
  const all = counts.right + counts.whole + counts.wrong;
  // Some streets are pseudonyms without a suffix, which nobody could tell from a city.
  expect(all).toBeGreaterThan(1500);
  expect(counts.right / all).toBeGreaterThan(0.9);
  expect(counts.wrong / all).toBeLessThan(0.02);
});

test('whatever the line, no letter is lost or made up', () => {
  const word = fc.constantFrom(
    '12',
    'ST',
    'MAIN',
    'APT',
    '4',
    'PO',
    'BOX',
    'WI',
    'CT',
    '53704',
    ',',
    'E',
    '#',
    'N.Y.',
    'NEW YORK',
  );
  const line = fc
    .array(fc.oneof(word, fc.string({ maxLength: 6 })), { maxLength: 9 })
    .map(words => words.join(' '));
  const letters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase();
  fc.assert(
    fc.property(line, text => {
      const { street, city } = splitAddress(text);
      expect(letters(text)).toContain(letters(street ?? ''));
      expect(letters(text)).toContain(letters(city ?? ''));
    }),
  );
});

test('a part is asked of addresses, cities, states and ZIPs alone', () => {
  const roll = (columns: string) =>
    `{name: a, kind: assessor, fips: "55025", roll: {source: a.csv, format: csv, key: PIN, columns: ${columns}}}`;
  expect(() => feedOf(roll('{mail_city: {column: ADDR, part: city}}'))).not.toThrow();
  expect(fault(roll('{acres: {column: ADDR, part: city}}'))).toMatch(/columns\.acres.*part.*addresses/);
  expect(fault(roll('{mail_city: {column: ADDR, part: town}}'))).toMatch(/part/);
});
