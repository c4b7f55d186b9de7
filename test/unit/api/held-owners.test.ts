import { expect, test } from 'vitest';
import { openHeldOwners } from '../../../api/v1/properties/held-owners.ts';
import { indexWords } from '../../../api/v1/properties/word-index.ts';
import { type Serials, serialsOf } from '../../../shared/kernels/serials/serials.ts';

const KING = 53_033;
const some = (count: number): Serials => serialsOf(Array.from({ length: count }, (_, at) => at * 1_000));
const county = (version: string | null) => ({ version, words: indexWords(' SMITH ') });

test('parcels are held for the version that they were found in, county by county', () => {
  const held = openHeldOwners();
  held.keep(KING, '7', 'SMITH', some(3));
  expect(held.parcels(KING, '7', 'SMITH')).toEqual(some(3));
  expect(held.parcels(KING, '8', 'SMITH')).toBeUndefined();
  expect(held.parcels(KING + 2, '7', 'SMITH')).toBeUndefined();
  expect(held.parcels(KING, '7', 'SMIT')).toBeUndefined();
});

test('no more is held than there is room for; what was not used for longest goes first', () => {
  const held = openHeldOwners({ parcelsBytes: 3 * (4_000 + 1_000) });
  for (const piece of ['A', 'B', 'C']) held.keep(KING, '7', piece, some(1_000));
  held.parcels(KING, '7', 'A');
  held.keep(KING, '7', 'D', some(1_000));
  const pieces = () => ['A', 'B', 'C', 'D'].filter(piece => held.parcels(KING, '7', piece) !== undefined);
  expect(pieces()).toEqual(['A', 'C', 'D']);
  // In the place of what it replaces.
  held.keep(KING, '7', 'D', some(900));
  expect(pieces()).toEqual(['A', 'C', 'D']);
  // Larger than all the room: nothing is left, and nothing miscounted.
  held.keep(KING, '7', 'E', some(9_000));
  expect(pieces()).toEqual([]);
  for (const piece of ['A', 'B', 'C', 'D']) held.keep(KING, '7', piece, some(1_000));
  expect(pieces()).toEqual(['B', 'C', 'D']);
});

test('many pieces without a parcel take room as well', () => {
  const held = openHeldOwners({ parcelsBytes: 10_000 });
  for (let i = 0; i < 100; i++) held.keep(KING, '7', `P${i}`, some(0));
  const left = Array.from({ length: 100 }, (_, i) => held.parcels(KING, '7', `P${i}`)).filter(Boolean);
  expect(left).toHaveLength(10);
});

test('the words of a county are read once for calls that come together, and again when forgotten', async () => {
  const held = openHeldOwners();
  let reads = 0;
  const read = async () => county(String(++reads));
  const both = await Promise.all([held.county(KING, read), held.county(KING, read)]);
  expect(both.map(({ version }) => version)).toEqual(['1', '1']);
  expect((await held.county(KING, read)).version).toBe('1');
  held.forget(KING);
  expect((await held.county(KING, read)).version).toBe('2');
});

test('what failed, and a county without owners, is read again', async () => {
  const held = openHeldOwners();
  await expect(held.county(KING, () => Promise.reject(new Error('no connection')))).rejects.toThrow(
    'no conn',
  );
  expect((await held.county(KING, async () => county(null))).version).toBeNull();
  expect((await held.county(KING, async () => county('1'))).version).toBe('1');
});

test('nothing is held for more than an hour', async () => {
  let now = 0;
  const held = openHeldOwners({}, () => now);
  held.keep(KING, '7', 'SMITH', some(3));
  await held.county(KING, async () => county('7'));
  now = 3_600_000;
  expect(held.parcels(KING, '7', 'SMITH')).toBeDefined();
  expect((await held.county(KING, async () => county('8'))).version).toBe('7');
  now++;
  expect(held.parcels(KING, '7', 'SMITH')).toBeUndefined();
  expect((await held.county(KING, async () => county('8'))).version).toBe('8');
});
