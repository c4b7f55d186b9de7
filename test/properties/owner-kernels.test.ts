import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isCorporateOwner } from '../../shared/kernels/owner/corporate.ts';
import { ownerFacts } from '../../shared/kernels/owner/owner-facts.ts';
import { wordsOf } from '../../shared/kernels/owner/owner-words.ts';
import { normalizeStreet } from '../../shared/kernels/owner/street.ts';
import { ABBREVIATIONS } from '../../shared/kernels/owner/suffixes.ts';
import { containsAnyWord } from '../support/owner-words.ts';
import { runs as share } from '../support/runs.ts';

const runs = { numRuns: share(1000) };

/** Pieces that the rules are about, in any order and glued by any mark. */
const piece = fc.constantFrom(
  '12',
  '0012',
  '12-B',
  '1/2',
  '39.2',
  '4B',
  'B',
  'N',
  'NORTH',
  'W',
  'WEST',
  'SE',
  'MAIN',
  'LAKE',
  'ST',
  'STREET',
  'AVE',
  'ROAD',
  'RD',
  'RT',
  'ROUTE',
  'APT',
  'UNIT',
  'SUITE',
  '#',
  'NO',
  'PO',
  'P',
  'O',
  'BOX',
  'POB',
  'POST',
  'OFFICE',
  'DRAWER',
  'RR',
  'R',
  'D',
  'F',
  'RURAL',
  'RFD',
  'HC',
  'STAR',
  'LOCK',
  'C/O',
  '%',
  'ATTN',
  'CARE',
  'OF',
  'BLDG',
  'FLOOR',
  'APT45',
  'BOX62',
  'BOX062',
  'UNKNOWN',
  'É',
  "O'NEIL",
  '',
  'ROOM',
  'HIGHWAY',
  'CONTRACT',
  '0',
);
const glue = fc.constantFrom(' ', ' ', ' ', ' ', '  ', '-', '.', ', ', '. ', '', '/', '#', "'");
const address = fc
  .array(fc.tuple(piece, glue), { maxLength: 9 })
  .map(parts => parts.map(([text, mark]) => text + mark).join(''));

describe('normalized streets', () => {
  const isStable = (text: string) => {
    const street = normalizeStreet(text);
    if (street !== null) expect(normalizeStreet(street)).toBe(street);
  };

  test("don't change when normalized again", () => {
    fc.assert(fc.property(address, isStable), { numRuns: share(5_000) });
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 40 }), isStable), runs);
  });

  test('are plain text with single spaces', () => {
    fc.assert(
      fc.property(fc.oneof(address, fc.string({ unit: 'binary' })), text => {
        expect(normalizeStreet(text) ?? 'A').toMatch(/^[A-Z0-9#%./-]+( [A-Z0-9#%./-]+)*$/);
      }),
      runs,
    );
  });

  test("don't depend on case, periods, commas, and spaces, or on how a suffix is spelled", () => {
    const [spelling, short] = [...ABBREVIATIONS.keys()]
      .map(word => [word, ABBREVIATIONS.get(word)!] as const)
      .reduce(
        ([words, shorts], [word, abbreviation]) => [
          [...words, word],
          [...shorts, abbreviation],
        ],
        [[] as string[], [] as string[]],
      );
    const index = fc.nat(spelling.length - 1);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), index, fc.boolean(), (house, i, isLower) => {
        const written = `  ${house}  Elm, ${spelling[i]}.`;
        expect(normalizeStreet(isLower ? written.toLowerCase() : written)).toBe(`${house} ELM ${short[i]}`);
      }),
      runs,
    );
  });
});

describe('words', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.string({ unit: 'grapheme-ascii', maxLength: 30 }),
  );

  test('stay the same when split again', () => {
    fc.assert(
      fc.property(name, text => {
        expect(wordsOf(wordsOf(text))).toBe(wordsOf(text));
      }),
      runs,
    );
  });

  test('are found whole, and nothing else is', () => {
    const word = fc.stringMatching(/^[A-Za-z]{1,3}$/);
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), fc.array(word, { maxLength: 3 }), (names, sought) => {
        const upper = names.map(each => each.toUpperCase());
        const plain = sought.some(each => upper.includes(each.toUpperCase()));
        expect(containsAnyWord(names.join(', '), sought)).toBe(plain);
      }),
      runs,
    );
  });

  test('a legal form counts only as a whole word', () => {
    const letters = fc.stringMatching(/^[A-Z]{1,8}$/);
    fc.assert(
      fc.property(letters, letters, fc.constantFrom('LLC', 'INC', 'CORP', 'LLP', 'LTD'), (a, b, form) => {
        expect(isCorporateOwner(`ELM ${a} ${form}`)).toBe(true);
        expect(isCorporateOwner(`ELM Z${form}Z${b}`)).toBe(false);
      }),
      runs,
    );
  });
});

test('facts of any parcel: no error, and the same street twice means owner-occupied', () => {
  const text = fc.option(fc.oneof(address, fc.string({ unit: 'binary', maxLength: 20 })));
  fc.assert(
    fc.property(text, text, text, fc.option(fc.stringMatching(/^\d{5}$/)), (ownerName, street, city, zip) => {
      const facts = ownerFacts(
        {
          ownerName,
          mailAddress: street,
          mailCity: city,
          mailState: 'NH',
          mailZip: zip,
          situsAddress: street,
          situsState: 'NH',
          situsZip: zip,
          ownerOccupied: null,
          fips: 33019,
          countyState: 'NH',
        },
        () => null,
      );
      expect(facts.ownerOccupied).not.toBe(false);
      expect(facts.corporate === null).toBe(ownerName === null);
      if (normalizeStreet(street) === null) expect(facts.ownerKeyText).toBeNull();
    }),
    runs,
  );
});
