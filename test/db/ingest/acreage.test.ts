import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { all, ingestRoll, lot } from '../../support/ingest.ts';

const { folder, pool } = await createTestDatabase();

let feeds = 0;

/** A roll with geometry of rows [key, stated area, number of the lot]; lots measure 2.2 acres. */
function roll(gates: Record<string, unknown> = {}, unit = 'acres') {
  const name = `acreage-${++feeds}`;
  const columns = { acres: { column: 'ACRES', unit }, land_use_code: 'USE' };
  return async (rows: readonly (readonly [key: string, acres: number | null, n: number])[]) => {
    const features = rows.map(([PIN, ACRES, n]) => ({
      properties: { PIN, ACRES, USE: 'R' },
      geometry: lot(n),
    }));
    const { status, blocked, counts } = await ingestRoll(pool, folder, name, features, { columns, gates });
    const parcels = await all<{ source_key: string; acres: number | null }>(
      pool,
      'select source_key, acres from parcels p join feeds f on f.id = p.feed_id where f.name = $1 order by 1',
      [name],
    );
    return { status, blocked, counts, acres: Object.fromEntries(parcels.map(p => [p.source_key, p.acres])) };
  };
}

const lots = (acres: number, count = 40) =>
  Array.from({ length: count }, (_, n) => [`P${n}`, acres, n] as const);

describe('the gate', () => {
  test.each([
    ['sqft', 2, /0\.0000\d+ times .* 4 for 40 of 40 parcels \(100\.0%, limit 33%\)\. Unit acres would fit/],
    ['acres', 96_000, / Unit sqft would fit/],
    ['acres', 0.89, / Unit hectares would fit/],
    ['acres', 30, /column, unit, and scale/],
  ])('blocks %s of %s, and names the unit that fits', async (unit, stated, says) => {
    const strict = await roll({}, unit)(lots(stated));
    expect(strict.blocked).toEqual([{ gate: 'acreage', message: expect.stringMatching(says) }]);
    expect(strict.status).toBe('blocked');
    expect((await roll({ max_acreage_off_percent: 100 }, unit)(lots(stated))).status).toBe('merged');
  });

  test('lets up to a third of the parcels be off by more than a factor of 4', async () => {
    const off = (n: number) => lots(2, 100).map(([key, acres, i]) => [key, i < n ? 40 : acres, i] as const);
    expect((await roll()(off(33))).status).toBe('merged');
    expect((await roll()(off(34))).blocked.map(({ gate }) => gate)).toEqual(['acreage']);
  });
});

describe('parcels with several rows', () => {
  test('have the sum of their parts if those differ and the sum agrees better with the measured area', async () => {
    const run = roll({ max_reject_percent: 100 });
    const { acres, counts } = await run([
      // Each its own part: 2.2 acres a lot.
      ...([
        ['OWN', 2.1, 0],
        ['OWN', 2.3, 1],
      ] as const),
      // The same stated twice, of three parts.
      ...([
        ['EQUAL', 2.2, 3],
        ['EQUAL', 2.2, 4],
        ['EQUAL', 2.1, 5],
      ] as const),
      // All parts state the whole, to a hundredth.
      ...([
        ['WHOLE', 4.4, 7],
        ['WHOLE', 4.41, 8],
      ] as const),
      ...([
        ['ALIKE', 4.4, 10],
        ['ALIKE', 4.4, 11],
      ] as const),
      ...([
        ['PARTLY', 4.4, 13],
        ['PARTLY', null, 14],
      ] as const),
    ]);
    expect(acres).toEqual({ OWN: 4.4, EQUAL: 6.5, WHOLE: 4.4, ALIKE: 4.4, PARTLY: 4.4 });
    expect(counts.acres_summed).toBe(2);
  });

  test('follow a changed part', async () => {
    const run = roll({ max_reject_percent: 100 });
    const rows = (second: number) =>
      [
        ['P', 2.1, 0],
        ['P', second, 1],
        ['Q', 2, 3],
      ] as const;
    expect((await run(rows(2.3))).acres).toEqual({ P: 4.4, Q: 2 });
    const again = await run(rows(2.3));
    expect(again.counts).toMatchObject({ unchanged: 2, changed: 0 });
    expect((await run(rows(2.25))).acres).toEqual({ P: 4.35, Q: 2 });
  });
});
