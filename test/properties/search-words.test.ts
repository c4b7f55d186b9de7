import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findAddresses } from '../../api/v1/search/find-addresses.ts';
import { findOwners } from '../../api/v1/search/find-owners.ts';
import { searchWords } from '../../api/v1/search/find-words.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertParcels, type TestParcel } from '../support/parcels.ts';
import { runs } from '../support/runs.ts';

const db = await createTestDatabase();
const database = db.pool.forApi();
const COUNTIES = [33_009, 33_019, 1_001];

/** Each a set of spellings of one word. */
const WORDS = [
  ['12'],
  ['120'],
  ['1'],
  ['N', 'NORTH', 'NO'],
  ['W', 'WEST'],
  ['MAIN'],
  ['MAINE'],
  ['MAPLE'],
  ['ST', 'STREET', 'SAINT'],
  ['RD', 'ROAD'],
  ['HTS', 'HEIGHTS', 'HGTS'],
  ['LAKE', 'LK'],
  ["O'BRIEN", 'OBRIEN', 'O’BRIEN'],
];
const spelled = fc.constantFrom(...WORDS).chain(spellings => fc.constantFrom(...spellings));
const phrase = (most: number) => fc.array(spelled, { minLength: 1, maxLength: most });

const parcel = fc.record({
  county: fc.constantFrom(...COUNTIES),
  address: phrase(4),
  city: phrase(1),
  owner: phrase(3),
});

const ALL = 10_000;
const folded = (name: string) => name.replaceAll(/['’]/g, '');

test('parcels are found by their addresses and owners, the same as by reading every row', async () => {
  const drawn = fc.sample(parcel, { numRuns: 400, seed: 11 });
  const parcels = drawn.map(
    ({ county, address, city, owner }, at): TestParcel => ({
      property_id: county * 1e8 + 1 + at * 7,
      situs_address: address.join(at % 2 === 0 ? ' ' : ', '),
      situs_city: city.join(' '),
      owner_name: owner.join(at % 3 === 0 ? ' & ' : ' '),
    }),
  );
  await insertParcels(db.pool, parcels);
  const alike = (one: string, other: string) =>
    one === other || WORDS.some(spellings => spellings.includes(one) && spellings.includes(other));
  /** Whether `typed` may become a word that means the same as `word`. */
  const begins = (typed: string, word: string) =>
    word.startsWith(typed) || WORDS.flat().some(other => other.startsWith(typed) && alike(other, word));

  const search = searchWords(database, COUNTIES, false);
  const question = fc.tuple(phrase(3), fc.nat(3));
  await fc.assert(
    fc.asyncProperty(question, async ([words, cut]) => {
      const last = words.at(-1)!;
      const asked = [...words.slice(0, -1), last.slice(0, Math.max(2, last.length - cut))];
      // These are states as well, and are not looked up beside other words.
      fc.pre(
        asked.some(word => /[A-Z]/.test(word)) &&
          asked.join(' ').length > 1 &&
          !['MA', 'LA'].includes(asked.at(-1)!),
      );
      const byAddress = drawn.flatMap(({ address, city }, at) => {
        const own = [...address, ...city];
        const fits = (word: string, which: number, other: string) =>
          which < asked.length - 1 ? alike(word, other) : begins(word, other);
        const isMatch =
          asked.every((word, which) => own.some(other => fits(word, which, other))) &&
          asked.some((word, which) => address.some(other => fits(word, which, other)));
        return isMatch ? [parcels[at]!.property_id] : [];
      });
      const found = await findAddresses(database, search, asked.join(' ').toLowerCase(), ALL);
      expect(found.map(({ result }) => result.property_id!).sort()).toEqual(byAddress.sort());

      const byOwner = parcels.flatMap(({ property_id, owner_name }) => {
        const own = folded(owner_name as string).split(' ');
        // Single characters are compared, and not looked up.
        const isMatch =
          asked.some(word => word.length > 1) &&
          asked.every(word => own.some(other => other.startsWith(folded(word))));
        return isMatch ? [`${String(Math.floor(property_id / 1e8)).padStart(5, '0')} ${owner_name}`] : [];
      });
      const owners = await findOwners(database, search, asked.join(' ').toLowerCase(), ALL);
      expect(owners.map(({ result }) => `${result.fips} ${result.label}`).sort()).toEqual(
        [...new Set(byOwner)].sort(),
      );
    }),
    { numRuns: runs(300) },
  );
});
