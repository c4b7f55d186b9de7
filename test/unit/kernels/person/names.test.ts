import { describe, expect, test } from 'vitest';
import { entityName, isEntity } from '../../../../shared/kernels/person/entity.ts';
import { parseOwnerPeople, person } from '../../../../shared/kernels/person/person.ts';

/** Each person of an owner's text with the ways to read it, as FIRST MIDDLE LAST SUFFIX. */
const read = (owner: string) =>
  parseOwnerPeople(owner).map(readings =>
    readings.map(({ first, middle, last, suffix }) =>
      [first, middle, last.join('-'), suffix].filter(Boolean).join(' '),
    ),
  );

describe("people in a roll's text", () => {
  test.each<[string, string[][]]>([
    ['SMITH, JOHN A', [['JOHN A SMITH']]],
    ['SMITH JOHN A JR', [['JOHN A SMITH JR']]],
    ['SMITH JR, JOHN', [['JOHN SMITH JR']]],
    ['SMITH JOHN A & MARY', [['JOHN A SMITH'], ['MARY SMITH']]],
    ['SMITH, JOHN A. & JONES, MARY B', [['JOHN A SMITH'], ['MARY B JONES']]],
    ['SMITH JOHN A & MARY B JONES', [['JOHN A SMITH'], ['MARY B JONES']]],
    ['SMITH JOHN & JONES MARY B', [['JOHN SMITH', 'SMITH JOHN'], ['MARY B JONES', 'JONES B'].slice(0, 1)]],
    ['JOHN A SMITH', [['JOHN A SMITH', 'A SMITH JOHN']]],
    ['SMITH-JONES, MARY ANN', [['MARY ANN SMITH-JONES']]],
    ['DE LA CRUZ, MARÍA ET AL', [['MARIA DELACRUZ']]],
    ['VAN DER BERG JAN', [['JAN VANDERBERG']]],
    ["O'NEIL, SEÁN P.", [['SEAN P ONEIL']]],
    ['KEATON, JOEL H, TRUSTEE', [['JOEL H KEATON']]],
    ['RIDGEWAY, SUSAN L REV TR', [['SUSAN L RIDGEWAY']]],
    ['SMITH, JOHN C/O BANK OF X', [['JOHN SMITH']]],
    ['LE, JOHN', [['JOHN LE']]],
    ['SMITH', []],
    ['', []],
    ['& ;', []],
  ])('%s', (owner, people) => {
    expect(read(owner).map((readings, i) => readings.slice(0, people[i]?.length))).toEqual(people);
  });

  test('a form has separate name fields', () => {
    expect(person(' dr. Ada  Byron ', 'King-Noël')).toEqual({
      first: 'ADA',
      middle: 'BYRON',
      last: ['KING', 'NOEL'],
      suffix: null,
    });
    expect(person('Bob', 'Smith III')).toMatchObject({ suffix: 'III', last: ['SMITH'] });
    expect(person('', 'Smith')).toBeNull();
    expect(person('…', 'Smith')).toBeNull();
  });
});

describe('entities', () => {
  test.each([
    'PORTER DARROW, LLC',
    'WASHINGTON, TOWN OF',
    'STATE OF NEW HAMPSHIRE',
    'FIRST BAPTIST CHURCH',
    'SMITH FAMILY TRUST',
    'ESTATE OF JOHN SMITH',
    'LAKE ASSOC',
  ])('%s is one', owner => expect(isEntity(owner)).toBe(true));

  test.each(['SMITH, JOHN', 'CHURCH, JOHN', 'KEATON, JOEL H, TRUSTEE', 'LAND, MARY'])('%s is none', owner =>
    expect(isEntity(owner)).toBe(false),
  );

  test.each([
    ['WASHINGTON, TOWN OF', 'Town of Washington'],
    ['PORTER DARROW, L.L.C.', 'The Porter & Darrow LLC'],
    ['R & G, LLC', 'R and G L.L.C.'],
    ['SMITH FAMILY TRUST DTD 1/2/2003', 'Smith Rev Tr'],
    ['LAKE ASHUELOT ASSN INC', 'Lake Ashuelot Association'],
  ])('%s is %s', (a, b) => {
    expect(entityName(a)).not.toBeNull();
    expect(entityName(a)).toBe(entityName(b));
  });

  test('only general words name nobody', () => {
    expect(entityName('THE COMPANY INC')).toBeNull();
    expect(entityName('TRUST')).toBeNull();
  });
});
