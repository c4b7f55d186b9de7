import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countyOf, propertyIdOf } from '../../../shared/model/property-id.ts';
import { parcelNamedBy, parcelOfReference, referenceOf } from '../../../shared/model/row-reference.ts';
import { runs } from '../../support/runs.ts';

const ids = fc
  .tuple(fc.integer({ min: 1_001, max: 78_030 }), fc.integer({ min: 0, max: 99_999_999 }))
  .map(([fips, serial]) => propertyIdOf(fips, serial));

test('a reference is short, has no ambiguous characters, and names its parcel', () => {
  fc.assert(
    fc.property(ids, id => {
      const reference = referenceOf(id);
      expect(reference).toMatch(/^[2-9A-HJKMNP-TV-Z]{3}-[2-9A-HJKMNP-TV-Z]{3,6}$/);
      for (const typed of [reference, reference.toLowerCase(), reference.replace('-', ''), ` ${reference} `])
        expect(parcelOfReference(typed)).toBe(id);
    }),
    { numRuns: runs(2_000) },
  );
  // A county of 5,000 parcels has six characters.
  expect(referenceOf(3_301_900_005_000)).toHaveLength(7);
});

test('one wrong character, or two swapped ones, never name another parcel of the county', () => {
  fc.assert(
    fc.property(ids, fc.nat(), fc.nat(29), (id, at, digit) => {
      const right = referenceOf(id).replace('-', '');
      const i = at % right.length;
      const wrong = `${right.slice(0, i)}${'23456789ABCDEFGHJKMNPQRSTVWXYZ'[digit]}${right.slice(i + 1)}`;
      const swapped = i === 0 ? right : right.slice(0, i - 1) + right[i] + right[i - 1] + right.slice(i + 1);
      for (const typed of [wrong, swapped].filter(text => text !== right)) {
        const found = parcelOfReference(typed);
        if (found !== null) expect(countyOf(found)).not.toBe(countyOf(id));
      }
    }),
    { numRuns: runs(2_000) },
  );
});

test('other text is not a reference', () => {
  for (const text of ['', '2B7', '2B7-K9O', '19-16', 'Main St', '3301900000047', 'ZZZ-ZZZZZZ', '222-2222'])
    expect(parcelOfReference(text)).toBeNull();
});

test('a person names a parcel by its id or its reference', () => {
  fc.assert(
    fc.property(ids, id => {
      const reference = referenceOf(id);
      const typed = [
        String(id),
        reference,
        `Ref. ${reference}`,
        `ref: ${reference}`,
        `Reference #${reference}`,
      ];
      for (const text of typed) expect(parcelNamedBy(text)).toBe(id);
    }),
    { numRuns: runs(500) },
  );
  for (const text of ['', 'Ref.', 'ref 2B7-K9O', '12345']) expect(parcelNamedBy(text)).toBeNull();
});
