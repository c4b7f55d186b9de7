import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import {
  all,
  type Feature,
  feedOf,
  ingest,
  ingestRoll,
  lot,
  newName,
  one,
  rollFeed,
  square,
  writeFeatures,
} from '../../support/ingest.ts';

const { folder, pool } = await createTestDatabase();

/** A feed of one file, and runs of it over given features. */
function roll(gates: Record<string, unknown> = {}, more: Record<string, unknown> = {}) {
  const name = newName();
  const columns = { owner_name: 'OWNER', acres: 'ACRES' };
  return {
    name,
    run: (features: Feature[], force = false) =>
      ingestRoll(pool, folder, name, features, { columns, gates, force, ...more }),
  };
}

const parcels = (
  from: number,
  to: number,
  change: (n: number) => Partial<Feature> & { extra?: Record<string, unknown> } = () => ({}),
): Feature[] =>
  Array.from({ length: to - from }, (_, i) => {
    const n = from + i;
    const { extra, geometry = lot(n) } = change(n);
    return { properties: { PIN: `P${n}`, OWNER: `OWNER ${n}`, ACRES: 2, ...extra }, geometry };
  });

/** Everything that the parcels of a feed hold, and when each row was last written. */
const snapshot = (name: string) =>
  all(
    pool,
    'select p.*, p.xmin::text as written from parcels p join feeds f on f.id = p.feed_id where f.name = $1 order by property_id',
    [name],
  );

type Case = {
  gate: string;
  what: string;
  says: RegExp;
  second: Feature[];
  /** The limit that lets the same run pass. */
  allowed: Record<string, unknown>;
  /** Just within the limits as they are without the feed's own. */
  within: Feature[];
};

const CASES: Case[] = [
  {
    gate: 'rows',
    what: 'rows fell by more than 10 %',
    says: /rows .*\b100 to 89 \(11\.0%.*\b10%/,
    second: parcels(0, 89),
    allowed: { max_row_drop_percent: 11, max_key_drop_percent: 11 },
    within: parcels(0, 90),
  },
  {
    gate: 'matched_keys',
    what: 'keys with geometry fell by more than 10 %',
    says: /keys with geometry .*\b100 to 89\b/,
    second: parcels(0, 100, n => (n < 11 ? { geometry: null } : {})),
    allowed: { max_key_drop_percent: 11 },
    within: parcels(0, 100, n => (n < 10 ? { geometry: null } : {})),
  },
  {
    gate: 'known_keys',
    what: 'keys changed their form, at the same number of rows',
    says: /\b11 of 100 parcels .*\b11\.0%.*\b10%/,
    second: parcels(11, 111),
    allowed: { max_key_drop_percent: 11 },
    within: parcels(10, 110),
  },
  {
    gate: 'rejects',
    what: 'more than 5 % of the rows were rejected',
    says: /\b6 of 106 rows .*\b5\.7%.*\b5%/,
    second: [
      ...parcels(0, 100, n => (n === 0 ? { extra: { OWNER: 'ANOTHER' } } : {})),
      ...parcels(0, 6, () => ({ extra: { PIN: '' } })),
    ],
    allowed: { max_reject_percent: 6 },
    within: [...parcels(0, 100), ...parcels(0, 5, () => ({ extra: { PIN: '' } }))],
  },
  {
    gate: 'extent',
    what: 'more than 1 % of the parcels lie outside the county',
    says: /\b2 of 100 parcels .*county.*\b33019\b.* -7\d\.\d+ to .*CRS/,
    second: parcels(0, 100, n => (n < 2 ? { geometry: square(-70, 44, 0.001) } : {})),
    allowed: { max_outside_percent: 2 },
    within: parcels(0, 100, n => (n < 1 ? { geometry: square(-70, 44, 0.001) } : {})),
  },
  {
    gate: 'empty_column',
    what: 'a mapped column turned empty',
    says: /\bowner_name\b.*\b100 rows/,
    second: parcels(0, 100, () => ({ extra: { OWNER: ' ' } })),
    allowed: { empty_columns: false },
    within: parcels(0, 100, n => (n > 0 ? { extra: { OWNER: null } } : {})),
  },
];

test.each(CASES)(
  '$gate: blocks when $what, and nothing changes',
  async ({ gate, says, second, allowed, within }) => {
    const strict = roll();
    await strict.run(parcels(0, 100));
    const before = await snapshot(strict.name);

    const blocked = await strict.run(second);
    expect(blocked.status).toBe('blocked');
    const reasons = blocked.blocked.filter(reason => reason.gate === gate);
    expect(reasons.map(({ message }) => message)).toEqual([expect.stringMatching(says)]);
    // No other gate has a hand in it, but that fewer rows are fewer keys as well.
    if (gate !== 'rows') expect(blocked.blocked).toHaveLength(1);
    expect(await snapshot(strict.name)).toEqual(before);
    const run = await one<Record<string, unknown>>(
      pool,
      'select status, forced, gate, counts, finished_at from runs where id = $1',
      [blocked.runId],
    );
    expect(run).toMatchObject({ status: 'blocked', forced: false, gate: { blocked: blocked.blocked } });
    expect(run.finished_at).not.toBeNull();

    const forced = await strict.run(second, true);
    expect(forced).toMatchObject({ status: 'merged', blocked: blocked.blocked });
    const { forced: recorded, gate: kept } = await one<{ forced: boolean; gate: unknown }>(
      pool,
      'select forced, gate from runs where id = $1',
      [forced.runId],
    );
    expect([recorded, kept]).toEqual([true, expect.objectContaining({ blocked: forced.blocked })]);
    expect(await snapshot(strict.name)).not.toEqual(before);

    const lenient = roll(allowed);
    await lenient.run(parcels(0, 100));
    expect(await lenient.run(second)).toMatchObject({ status: 'merged', blocked: [] });

    const careful = roll();
    await careful.run(parcels(0, 100));
    expect((await careful.run(within)).blocked).toEqual([]);
  },
);

test('sales: a min_price that disqualifies comps blocks, as missing rows do, and no comp is changed', async () => {
  const name = 'gated-sales';
  const definition = (minPrice: number, gates = {}) => {
    const columns = { last_sale_date: 'SOLD', last_sale_price: 'PRICE', seller_name: 'OWNER' };
    return rollFeed(folder, name, columns, { sales: { label: name, min_price: minPrice }, gates });
  };
  writeFeatures(
    join(folder, `${name}.ndgeojson`),
    parcels(0, 20, n => ({ extra: { SOLD: '2024-05-01', PRICE: 1_000 * (n + 1) } })),
  );
  const comps = () =>
    all(pool, "select xmin::text from listings where source = $1 and status = 'SOLD'", [name]);
  expect((await ingest(pool, definition(500))).status).toBe('merged');
  const before = await comps();
  expect(before).toHaveLength(20);
  expect(await ingest(pool, definition(3_500))).toMatchObject({
    status: 'blocked',
    blocked: [
      {
        gate: 'sales',
        message: expect.stringMatching(/^3 of 20 sales .*\b15\.0%.*\b10%.*sales\.where.*sales\.min_price/),
      },
    ],
  });
  expect(await comps()).toEqual(before);
  expect((await ingest(pool, definition(2_500))).status).toBe('merged');
  expect((await ingest(pool, definition(4_500, { max_key_drop_percent: 15 }))).status).toBe('merged');
  expect(await comps()).toHaveLength(16);
});

test('the limits of rows and of keys are separate, and every reason is listed', async () => {
  const gates = async (limits: Record<string, unknown>) => {
    const { run } = roll(limits);
    await run(parcels(0, 100));
    return (await run(parcels(0, 80))).blocked.map(({ gate }) => gate);
  };
  expect(await gates({})).toEqual(['rows', 'matched_keys', 'known_keys']);
  expect(await gates({ max_key_drop_percent: 20 })).toEqual(['rows']);
  expect(await gates({ max_row_drop_percent: 20 })).toEqual(['matched_keys', 'known_keys']);
});

test('an empty file blocks, even on the first run', async () => {
  const { run, name } = roll();
  expect(await run([])).toMatchObject({
    status: 'blocked',
    blocked: [{ gate: 'empty' }],
  });
  await run(parcels(0, 3));
  const result = await run([]);
  expect(result.blocked.map(({ gate }) => gate)).toContain('empty');
  expect(await snapshot(name)).toHaveLength(3);
});

test('the first run has nothing to be compared with, but its rejected rows and its extent are checked', async () => {
  expect((await roll().run(parcels(0, 5, () => ({ extra: { OWNER: null } })))).status).toBe('merged');
  const bad = await roll().run([...parcels(0, 3), ...parcels(3, 4, () => ({ extra: { PIN: null } }))]);
  expect(bad.blocked.map(({ gate }) => gate)).toEqual(['rejects']);
  const far = await roll().run(parcels(0, 3, () => ({ geometry: square(-90, 40, 0.001) })));
  expect(far.blocked.map(({ gate }) => gate)).toEqual(['extent']);
});

test('a run is compared with the last accepted one, not with a blocked or failed one', async () => {
  const { run } = roll();
  await run(parcels(0, 100));
  expect((await run(parcels(0, 50))).status).toBe('blocked');
  expect((await run(parcels(0, 52))).status).toBe('blocked');
  expect((await run(parcels(0, 95))).status).toBe('merged');
  expect((await run(parcels(0, 90))).status).toBe('merged');
});

test('a column that the source no longer has fails the run with its name', async () => {
  const { run, name } = roll();
  await run(parcels(0, 3));
  const renamed = parcels(0, 3).map(({ properties: { OWNER, ...rest }, geometry }) => ({
    properties: { ...rest, OWNERS: OWNER },
    geometry,
  }));
  await expect(run(renamed)).rejects.toMatchObject({
    code: 'feed_mapping',
    message: expect.stringContaining('OWNER'),
  });
  expect(await snapshot(name)).toHaveLength(3);
  expect(await one(pool, 'select status, error_code from runs order by id desc limit 1')).toEqual({
    status: 'failed',
    error_code: 'feed_mapping',
  });
});

test('a geometry file whose attributes became empty blocks as well', async () => {
  const name = newName();
  const section = (file: string) => ({
    source: `${name}-${file}.ndgeojson`,
    format: 'ndgeojson',
    key: 'PIN',
    columns: { owner_name: 'OWNER' },
  });
  const feed = feedOf(folder, {
    name,
    kind: 'assessor',
    fips: '33019',
    roll: section('roll'),
    shape: section('shape'),
  });
  const run = (shape: Feature[]) => {
    writeFeatures(
      join(folder, `${name}-roll.ndgeojson`),
      parcels(0, 10).map(({ properties }) => ({ properties, geometry: null })),
    );
    writeFeatures(join(folder, `${name}-shape.ndgeojson`), shape);
    return ingest(pool, feed);
  };
  await run(parcels(0, 12));
  expect((await run(parcels(0, 12, () => ({ extra: { OWNER: null } })))).blocked).toEqual([
    {
      gate: 'empty_column',
      message: expect.stringMatching(/shape\.owner_name\b.*\b12 rows/),
    },
  ]);
});

test('a listing feed with complete files is checked by its rows, rejected rows, and columns', async () => {
  const name = 'listing-gates';
  const columns = { source_id: 'ID', status: 'STATUS', list_price: 'PRICE', address: 'ADDRESS' };
  const feed = feedOf(folder, {
    name,
    kind: 'listings',
    listings: { source: 'listings.csv', format: 'csv', columns },
  });
  const run = (count: number, row: (n: number) => string) => {
    writeFileSync(
      join(folder, 'listings.csv'),
      `ID,STATUS,PRICE,ADDRESS\n${Array.from({ length: count }, (_, n) => row(n)).join('\n')}\n`,
    );
    return ingest(pool, feed);
  };
  expect((await run(20, n => `${n},ACTIVE,1000,Road ${n}`)).status).toBe('merged');
  expect((await run(17, n => `${n},ACTIVE,1000,Road ${n}`)).blocked.map(({ gate }) => gate)).toContain(
    'rows',
  );
  expect(
    (await run(20, n => `${n},${n < 2 ? 'SOLDISH' : 'ACTIVE'},1000,Road ${n}`)).blocked.map(
      ({ gate }) => gate,
    ),
  ).toEqual(['rejects']);
  expect((await run(20, n => `${n},ACTIVE,1000,`)).blocked).toEqual([
    {
      gate: 'empty_column',
      message: expect.stringMatching(/\baddress\b.*\b20 rows/),
    },
  ]);
  expect((await run(0, () => '')).blocked.map(({ gate }) => gate)).toContain('empty');
  const { active } = await one<{ active: number }>(
    pool,
    "select count(*)::int as active from listings where status = 'ACTIVE'",
  );
  expect(active).toBe(20);
});
