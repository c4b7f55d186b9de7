import { beforeEach, describe, expect, test } from 'vitest';
import type { ChangedFields } from '../../shared/model/changes.ts';
import type { Db } from '../../shared/platform/db.ts';
import { type ComputedCounty, computeAssemblages } from '../../workers/land/compute-assemblages.ts';
import { computeAssemblagesJob } from '../../workers/land/compute-assemblages-job.ts';
import { createTestDatabase } from '../support/database.ts';
import { groundAt, box as ringOf } from '../support/frontage-ground.ts';
import { all } from '../support/ingest.ts';
import { insertParcels, retireParcels, type TestParcel } from '../support/parcels.ts';
import { ingestSample } from '../support/sample.ts';
import { jobContext, workerConfig } from '../support/workers.ts';

const db = await createTestDatabase();
const { pool } = db;
const signal = new AbortController().signal;

const [SULLIVAN, MERRIMACK] = [33_019, 33_013];
const ground = groundAt([-72.1, 43.2]);
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** A lot of 100 m by 100 m, `east` meters east of the origin. */
function lot(id: number, east: number, owner: number, more: Partial<TestParcel> = {}): TestParcel {
  return {
    property_id: id,
    boundary: ground.shape(ringOf(east, 0, east + 100, 100)),
    acres: 2.5,
    owner_key: uuid(owner),
    out_of_zip_owner: false,
    ...more,
  };
}

const own = (n: number) => SULLIVAN * 1e8 + n;
const next = (n: number) => MERRIMACK * 1e8 + n;

beforeEach(async () => {
  await pool.query(
    'truncate parcels, parcel_filters, owner_parcels, assemblages, assemblages_dirty, county_coverage, jobs, changes',
  );
});

const compute = (fips = SULLIVAN): Promise<ComputedCounty> => computeAssemblages(pool, fips, { signal });

const stored = () =>
  all<Record<string, unknown>>(
    pool,
    `select property_id, assemblage_id as id, parcels, acres, touching_parcels, touching_acres, counties
     from assemblages order by property_id`,
  );

describe('a county', () => {
  test('has the lots of each owner that hang together, and counts those without a boundary', async () => {
    const { boundary: _, ...shapeless } = lot(own(5), 0, 1);
    await insertParcels(pool, [
      lot(own(1), 0, 1),
      lot(own(2), 100, 1),
      lot(own(3), 220, 1),
      lot(own(4), 320, 2),
      shapeless,
      lot(own(6), 1_000, 1),
      lot(own(7), 1_100, 1, { owner_key: null }),
    ]);
    expect(await compute()).toEqual({
      parcels: 6,
      grouped: 3,
      without_boundary: 1,
      too_many: 0,
      changed: 3,
    });
    const whole = { id: own(1), parcels: 3, acres: 7.5, counties: [SULLIVAN] };
    expect(await stored()).toEqual([
      { ...whole, property_id: own(1), touching_parcels: 2, touching_acres: 5 },
      { ...whole, property_id: own(2), touching_parcels: 2, touching_acres: 5 },
      { ...whole, property_id: own(3), touching_parcels: 1, touching_acres: 2.5 },
    ]);
    expect(await compute()).toMatchObject({ grouped: 3, changed: 0 });
  });

  test('groups lots that overlap and duplicates of a lot, but not the units of a building', async () => {
    const unit = (id: number) => lot(id, 400, 2, { acres: 0.5 });
    await insertParcels(pool, [
      // Overlap by half.
      lot(own(1), 0, 1),
      lot(own(2), 50, 1),
      // The same lot twice.
      lot(own(3), 150, 1),
      lot(own(4), 150, 1),
      // Three units of one building, which are alone.
      unit(own(5)),
      unit(own(6)),
      unit(own(7)),
    ]);
    const computed = await compute();
    expect(computed).toMatchObject({ parcels: 7, grouped: 4, too_many: 0, without_boundary: 0 });
    const rows = await stored();
    expect(rows.map(row => row.property_id)).toEqual([1, 2, 3, 4].map(own));
    for (const row of rows) expect(row).toMatchObject({ id: own(1), parcels: 3, touching_parcels: 3 });
    // Two lots of 2.5 acres, and twice 2.5 acres on a boundary of 2.47 acres.
    expect(rows[0]!.acres).toBeCloseTo(7.5, 1);
  });

  test('gives parcels without a ZIP to the only owner at their address', async () => {
    const withoutZip = { owner_key: uuid(90), place_key: uuid(90), out_of_zip_owner: null };
    await insertParcels(pool, [
      lot(own(1), 0, 1, { place_key: uuid(90) }),
      lot(own(2), 100, 90, withoutZip),
      lot(own(3), 200, 90, withoutZip),
    ]);
    expect(await compute()).toMatchObject({ grouped: 3 });
    // A second owner at the address, with another ZIP.
    await insertParcels(pool, [lot(own(4), 900, 2, { place_key: uuid(90) })]);
    expect(await compute()).toMatchObject({ grouped: 2, changed: 3 });
    expect((await stored()).map(row => row.id)).toEqual([own(2), own(2)]);
  });

  test('groups no parcels of an owner who has more than 500', async () => {
    const lots = Array.from({ length: 500 }, (_, i) => lot(own(i + 1), 100 * i, 1));
    await insertParcels(pool, lots);
    expect(await compute()).toMatchObject({ grouped: 500, too_many: 0 });
    await insertParcels(pool, [lot(own(501), 50_000, 1)]);
    expect(await compute()).toMatchObject({ grouped: 0, too_many: 501, changed: 501 });
    expect((await stored())[0]).toMatchObject({ id: null, parcels: null, acres: null });
  });

  test('forgets parcels that were sold or left the roll', async () => {
    await insertParcels(pool, [lot(own(1), 0, 1), lot(own(2), 100, 1), lot(own(3), 200, 1)]);
    await compute();
    await retireParcels(pool, [own(3)]);
    expect(await compute()).toMatchObject({ grouped: 2, changed: 3 });
    await pool.query('update parcel_filters set owner_key = $1 where property_id = $2', [uuid(2), own(2)]);
    expect(await compute()).toMatchObject({ grouped: 0, changed: 2 });
    expect(await stored()).toEqual([]);
  });
});

describe('a county line', () => {
  const lots = [
    lot(own(1), 0, 1),
    lot(own(2), 120, 1),
    lot(next(1), 220, 1),
    lot(next(2), 320, 1),
    // Reached only through the other county.
    lot(own(3), 420, 1),
    lot(own(4), 0, 2, { boundary: ground.shape(ringOf(0, 2_000, 100, 2_100)) }),
    lot(next(4), 5_000, 2),
  ];

  test('makes no difference, in whichever order the counties are computed', async () => {
    await insertParcels(pool, lots);
    for (const order of [
      [SULLIVAN, MERRIMACK],
      [MERRIMACK, SULLIVAN],
    ]) {
      await pool.query('truncate assemblages');
      for (const fips of order) await compute(fips);
      const whole = { id: next(1), parcels: 5, acres: 12.5, counties: [MERRIMACK, SULLIVAN] };
      expect(await stored()).toMatchObject([
        { ...whole, property_id: next(1), touching_parcels: 4 },
        { ...whole, property_id: next(2), touching_parcels: 4 },
        { ...whole, property_id: own(1), touching_parcels: 1 },
        { ...whole, property_id: own(2), touching_parcels: 4 },
        { ...whole, property_id: own(3), touching_parcels: 4 },
      ]);
    }
  });

  test('is crossed by an owner who has no ZIP on one side of it', async () => {
    const withoutZip = { owner_key: uuid(90), place_key: uuid(90), out_of_zip_owner: null };
    await insertParcels(pool, [
      lot(own(1), 0, 1, { place_key: uuid(90) }),
      lot(next(1), 100, 90, withoutZip),
    ]);
    for (const fips of [SULLIVAN, MERRIMACK]) expect(await compute(fips)).toMatchObject({ grouped: 1 });
  });

  test('is the limit for an owner with too many parcels on the other side', async () => {
    const many = Array.from({ length: 501 }, (_, i) => lot(next(i + 1), 100 * (i + 2), 1));
    await insertParcels(pool, [lot(own(1), 0, 1), lot(own(2), 100, 1), ...many]);
    await compute();
    await compute(MERRIMACK);
    const rows = await stored();
    expect(rows.filter(row => row.id === null)).toHaveLength(501);
    expect(rows.filter(row => row.id !== null)).toMatchObject([
      { property_id: own(1), parcels: 2, counties: [SULLIVAN] },
      { property_id: own(2), parcels: 2, counties: [SULLIVAN] },
    ]);
  });
});

describe('the job', () => {
  const job = (scope: Parameters<typeof computeAssemblagesJob.run>[1]['scope']) =>
    computeAssemblagesJob.run(jobContext(pool, workerConfig(db, 'postgres')), { scope });

  test('computes a marked county, clears its mark, and leaves the others', async () => {
    await insertParcels(pool, [lot(own(1), 0, 1), lot(own(2), 100, 1), lot(next(1), 900, 1)]);
    await pool.query('insert into assemblages_dirty (fips) values ($1), ($1), ($2)', [SULLIVAN, MERRIMACK]);
    expect(await job({ dirty: true })).toMatchObject({ rows: 2 });
    const enqueued = await all(pool, "select payload from jobs where name = 'assemblages' order by payload");
    expect(enqueued).toEqual([
      { payload: { scope: { fips: MERRIMACK } } },
      { payload: { scope: { fips: SULLIVAN } } },
    ]);
    expect(await job({ fips: SULLIVAN })).toMatchObject({ rows: 2, grouped: 2 });
    expect(await all(pool, 'select fips from assemblages_dirty')).toEqual([{ fips: MERRIMACK }]);
    expect(await job({ all: true })).toMatchObject({ rows: 2 });
  });

  test('that is killed changes nothing, and gives the same result the next time', async () => {
    await insertParcels(pool, [lot(own(1), 0, 1), lot(own(2), 100, 1)]);
    await pool.query('insert into assemblages_dirty (fips) values ($1)', [SULLIVAN]);
    const statements = ['land/clear_assemblage_marks', 'land/read_lots', 'land/store_assemblages'];
    for (const last of [...statements, 'changes/record_pending']) {
      await expect(computeAssemblages(killedAfter(last), SULLIVAN, { signal })).rejects.toThrow('killed');
      expect(await stored()).toEqual([]);
      expect(await all(pool, 'select 1 from assemblages_dirty')).toHaveLength(1);
      expect(await all(pool, 'select 1 from changes')).toEqual([]);
    }
    expect(await compute()).toMatchObject({ grouped: 2, changed: 2 });
  });

  test('waits for a merge of the county, and stops when it is told to', async () => {
    await insertParcels(pool, [lot(own(1), 0, 1)]);
    await pool.transaction(async tx => {
      await tx.query('select pg_advisory_xact_lock(7152815, $1)', [SULLIVAN]);
      const stop = new AbortController();
      const waiting = computeAssemblages(pool, SULLIVAN, { signal: stop.signal });
      stop.abort(new Error('stopped'));
      await expect(waiting).rejects.toThrow('stopped');
    });
    expect(await compute()).toMatchObject({ parcels: 1 });
  });

  /** The database, which dies right after a statement. */
  function killedAfter(statement: string): Db {
    const dying = (tx: Db): Db =>
      new Proxy(tx, {
        get(target, name) {
          const value = Reflect.get(target, name, target);
          if (name === 'run')
            return async (...given: Parameters<Db['run']>) => {
              const rows = await target.run(...given);
              if (given[0] === statement) throw new Error('killed');
              return rows;
            };
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    return {
      transaction: (work: (tx: Db) => Promise<unknown>) => pool.transaction(tx => work(dying(tx))),
    } as Db;
  }
});

test('every parcel whose assemblage changes has a change with both, and a new row_version', async () => {
  await insertParcels(pool, [lot(own(1), 0, 1), lot(own(2), 100, 1), lot(own(3), 900, 1)]);
  await compute();
  const changes = () =>
    all<{ property_id: number; fields: ChangedFields }>(
      pool,
      "select property_id, fields from changes where type = 'land.measured' order by seq",
    );
  // The first figures of a county that isn't being loaded are changes.
  expect(await changes()).toMatchObject([
    { property_id: own(1), fields: { assemblage: [null, { id: own(1), parcels: 2, acres: 5 }] } },
    { property_id: own(2), fields: { assemblage: [null, { id: own(1), parcels: 2, acres: 5 }] } },
  ]);
  await retireParcels(pool, [own(1)]);
  await compute();
  const [, , last, ...rest] = await changes();
  expect(rest).toEqual([]);
  expect(last).toMatchObject({ property_id: own(2), fields: { assemblage: [{ parcels: 2 }, null] } });
  const versions = await all<{ row_version: number }>(
    pool,
    'select row_version from parcel_filters order by property_id',
  );
  expect(versions[0]!.row_version).toBe(last!.fields.row_version![1]);
  expect(versions[1]!.row_version).toBe(0);
});

test('a merge marks its county and the counties next to it, and enqueues their jobs', async () => {
  const elsewhere = { feed_id: 99 };
  await insertParcels(pool, [lot(next(1), 0, 1, elsewhere)]);
  await insertParcels(pool, [lot(23_019e8 + 1, 500_000, 1, elsewhere)]);
  await ingestSample(pool, 'washington-nh');
  expect(await all(pool, 'select distinct fips from assemblages_dirty order by fips')).toEqual([
    { fips: MERRIMACK },
    { fips: SULLIVAN },
  ]);
  const jobs = await all(pool, "select payload from jobs where name = 'assemblages' order by payload");
  expect(jobs).toEqual([MERRIMACK, SULLIVAN].map(fips => ({ payload: { scope: { fips } } })));
});
