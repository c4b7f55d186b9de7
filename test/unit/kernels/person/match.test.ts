import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { subjectsOf } from '../../../../shared/contacts/person-identity.ts';
import {
  type Address,
  bestMatches,
  type Candidate,
  nameFit,
  placeOf,
  searchKeys,
  sharedPlace,
  withinOneEdit,
} from '../../../../shared/kernels/person/match.ts';
import { person } from '../../../../shared/kernels/person/person.ts';

const named = (text: string) => {
  const [first, ...rest] = text.split(' ');
  return person(first!, rest.at(-1)!, rest.slice(0, -1).join(' '))!;
};
const fits = (a: string, b: string) => nameFit(named(a), named(b));
const at = (
  address: string | null,
  zip: string | null = '03431',
  city: string | null = null,
  state: string | null = null,
): Address => ({ address, zip, city, state });

describe('names', () => {
  test.each([
    ['John Smith', 'JOHN SMITH', 1],
    ['Bob Smith', 'Robert Smith', 0.9],
    ['Jon Smith', 'John Smith', 0.9],
    ['John Smith', 'John Smyth', 0.8],
    ['J Smith', 'John Smith', 0.6],
    ['Mary Smith', 'Mary Jones-Smith', 0.8],
    ['John A Smith', 'John Albert Smith', 1.05],
  ])('%s may be %s', (a, b, fit) => expect(fits(a, b)).toBeCloseTo(fit));

  test.each([
    ['John Smith', 'Mary Smith'],
    ['John A Smith', 'John B Smith'],
    ['John Smith', 'John Jones'],
    ['J Smith', 'John Smyth'],
    ['Robert Smith', 'William Smith'],
    ['Jean Lee', 'Joan Le'],
  ])('%s is not %s', (a, b) => expect(fits(a, b)).toBeNull());

  test('a junior is not his father', () => {
    expect(nameFit(person('John', 'Smith Jr')!, person('John', 'Smith Sr')!)).toBeNull();
    expect(nameFit(person('John', 'Smith')!, person('John', 'Smith Sr')!)).toBeGreaterThan(
      nameFit(person('John', 'Smith')!, person('John', 'Smith Jr')!)!,
    );
  });

  test('a matches b exactly if b matches a, and everybody matches themselves', () => {
    const word = fc.stringMatching(/^[A-Z]{1,7}$/);
    const anyone = fc.record({
      first: word,
      middle: fc.oneof(fc.constant(''), word),
      last: fc.array(word, { minLength: 1, maxLength: 2 }),
      suffix: fc.constantFrom(null, 'JR' as const, 'SR' as const),
    });
    fc.assert(
      fc.property(anyone, anyone, (a, b) => {
        expect(nameFit(a, b)).toBe(nameFit(b, a));
        // But for whom an initial is all the given name there is.
        if (a.first.length > 1) expect(nameFit(a, a)).not.toBeNull();
      }),
    );
  });

  test('one edit is one letter more, less, different, or swapped', () => {
    const text = fc.stringMatching(/^[A-C]{0,5}$/);
    const edits = (from: string) =>
      new Set([
        from,
        ...[...Array(from.length + 1).keys()].flatMap(i => [
          from.slice(0, i) + from.slice(i + 1),
          ...['A', 'B', 'C'].flatMap(letter => [
            from.slice(0, i) + letter + from.slice(i),
            ...(i < from.length ? [from.slice(0, i) + letter + from.slice(i + 1)] : []),
          ]),
          ...(i + 1 < from.length ? [from.slice(0, i) + from[i + 1] + from[i] + from.slice(i + 2)] : []),
        ]),
      ]);
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(withinOneEdit(a, b)).toBe(edits(a).has(b));
      }),
    );
  });
});

describe('places', () => {
  test.each([
    [at('12 Zephyr Street'), at('12 ZEPHYR ST.'), 'street'],
    [at('12 Zephyr St Apt 2'), at('12 Zephyr St'), 'street'],
    [at('12 Zephyr St Apt 2'), at('12 Zephyr St #3'), 'zip'],
    [at('12 Zephyr St'), at('12 Zephir St'), 'street'],
    [at('12 Zephyr St'), at('13 Zephyr St'), 'zip'],
    [at('PO Box 9'), at('P.O. BOX 9'), 'street'],
    [at('12 Zephyr St', null, 'Keene', 'NH'), at('12 Zephyr St', '03431', 'KEENE', 'nh'), 'street'],
    [at('1 A St', null, 'Keene', 'NH'), at('2 B St', null, 'Keene', 'NH'), 'city'],
    [at('12 Zephyr St'), at('12 Zephyr St', '03280'), null],
  ])('%j and %j share %s', (a, b, shared) => expect(sharedPlace(placeOf(a), placeOf(b))).toBe(shared));
});

describe('matches', () => {
  const candidate = (name: string, address: Address, phone: string): Candidate => ({
    subject: { person: named(name) },
    places: [placeOf(address)],
    phones: [phone],
  });
  const find = (owner: string, address: Address, candidates: Candidate[]) =>
    bestMatches(subjectsOf(owner)[0]!, placeOf(address), candidates).map(({ candidate, matchedOn }) => [
      candidate.phones[0],
      matchedOn,
    ]);

  test('the narrowest location wins, and records of one person come together', () => {
    const records = [
      candidate('John A Smith', at('9 Far Rd'), '1'),
      candidate('John Smith', at('12 Zephyr St'), '2'),
      candidate('Jack Smith', at('12 Zephyr St'), '3'),
    ];
    expect(find('SMITH JOHN A', at('12 ZEPHYR ST'), records)).toEqual([
      ['2', 'name_and_street'],
      ['3', 'name_and_street'],
    ]);
  });

  test('people with the same name are not returned, unless the middle name distinguishes them', () => {
    const records = [
      candidate('John A Smith', at('1 A St'), '1'),
      candidate('John B Smith', at('2 B St'), '2'),
    ];
    expect(find('SMITH JOHN', at(null), records)).toEqual([]);
    expect(find('SMITH JOHN B', at(null), records)).toEqual([['2', 'name_and_zip']]);
  });

  test('need the same middle name on another street of the ZIP', () => {
    expect(find('SMITH, JOHN', at('5 C St'), [candidate('John A Smith', at('1 A St'), '1')])).toEqual([]);
    expect(find('SMITH, JOHN A', at('5 C St'), [candidate('John A Smith', at('1 A St'), '1')])).toEqual([
      ['1', 'name_and_zip'],
    ]);
  });

  test('an entity is identified by its name in its state, a trust with the same name only by its address', () => {
    const records: Candidate[] = [
      {
        subject: { entity: 'HALCYON MEADOW' },
        places: [placeOf(at('1 A St', '03431', 'Keene', 'NH'))],
        phones: ['1'],
      },
      {
        subject: { entity: 'SMITH TRUST' },
        places: [placeOf(at('1 A St', '03431', 'Keene', 'NH'))],
        phones: ['2'],
      },
    ];
    expect(find('HALCYON MEADOW LLC', at('7 B St', '03280', 'X', 'NH'), records)).toEqual([['1', 'entity']]);
    expect(find('HALCYON MEADOW LLC', at('7 B St', '05001', 'X', 'VT'), records)).toEqual([]);
    expect(find('SMITH FAMILY TRUST', at('7 B St', '03280', 'X', 'NH'), records)).toEqual([]);
    expect(find('SMITH FAMILY TRUST', at('1 A ST', '03431', 'X', 'NH'), records)).toEqual([['2', 'entity']]);
  });

  test('matches share a key by which they are searched', () => {
    const names = fc.constantFrom(
      'John Smith',
      'Jon Smyth',
      'Robert Smith',
      'Bob Smyth',
      'J Smith',
      'Mary Jones-Smith',
      'Mary Smith',
    );
    const places = fc.constantFrom(
      at('12 Zephyr St'),
      at('12 Zephir St'),
      at(null),
      at('1 A St', '03431', 'Keene', 'NH'),
      at(null, null, 'Keene', 'NH'),
    );
    fc.assert(
      fc.property(names, names, places, places, (a, b, here, there) => {
        const known = candidate(b, there, '1');
        if (bestMatches({ person: named(a) }, placeOf(here), [known]).length === 0) return;
        const keys = new Set(searchKeys({ person: named(a) }, placeOf(here)));
        expect(searchKeys({ person: named(b) }, placeOf(there)).some(key => keys.has(key))).toBe(true);
      }),
    );
  });
});
