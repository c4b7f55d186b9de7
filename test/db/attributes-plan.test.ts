import { beforeEach, describe, expect, test } from 'vitest';
import { ALL_LAYERS } from '../../shared/model/land-layers.ts';
import { planAttributes } from '../../workers/land/plan-attributes.ts';
import { createTestDatabase, lockWaits } from '../support/database.ts';
import { markParcels, marksOf } from '../support/land.ts';
import { insertParcels, retireParcels } from '../support/parcels.ts';
import { COUNTY, endJobs, insertLots, openChunks, parcelOf, plan } from './attributes-support.ts';

const { pool } = await createTestDatabase();

beforeEach(async () => {
  await pool.query('truncate parcels, parcel_filters, attributes_dirty, jobs');
});

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

describe('a plan', () => {
  test('puts marked parcels into chunks of neighbors, with one job each', async () => {
    await insertLots(pool, range(0, 400));
    await markParcels(pool, ['roads']);
    const planned = await plan(pool, { scope: { dirty: true } }, 100);
    expect(planned).toMatchObject({ parcels: 400, counties: 1, chunks: 4 });
    expect(await openChunks(pool)).toEqual(
      range(planned.first!, planned.last! + 1).map(chunk => ({ fips: 33_019, chunk })),
    );
    const { rows } = await pool.query<{ chunk: number; parcels: number; width: number }>(
      `select chunk, count(*)::int as parcels, max(f.location[0]) - min(f.location[0]) as width
       from attributes_dirty join parcel_filters f using (fips, property_id) group by chunk order by chunk`,
    );
    // The lots are 100 in a row: a chunk in the order of their ids would be all of the county wide.
    expect(rows.map(row => row.parcels)).toEqual([100, 100, 100, 100]);
    for (const { width } of rows) expect(width).toBeLessThan(0.0012 * 80 * 1e7);
  });

  test('puts the same parcels into the same chunks, whatever the order of the table', async () => {
    await insertLots(pool, range(0, 400));
    const chunksOf = async () => {
      const { first } = await plan(pool, { scope: { fips: 33_019 } }, 30);
      const { rows } = await pool.query<{ id: number; chunk: number }>(
        'select property_id as id, chunk - $1 as chunk from attributes_dirty order by 1',
        [first],
      );
      return rows;
    };
    const chunks = await chunksOf();
    await pool.query(`
      create temp table shuffled as select * from parcel_filters order by md5(property_id::text);
      truncate parcel_filters;
      insert into parcel_filters select * from shuffled;
      drop table shuffled;
      analyze parcel_filters`);
    expect(await chunksOf()).toEqual(chunks);
  });

  test('leaves chunks with open jobs alone, and plans those whose jobs have ended again', async () => {
    await insertLots(pool, range(0, 10));
    await markParcels(pool, ['roads'], [COUNTY + 1]);
    await plan(pool);
    await markParcels(pool, ['roads'], [COUNTY + 2]);
    expect(await plan(pool)).toMatchObject({ parcels: 1, chunks: 1 });
    expect(await plan(pool)).toMatchObject({ parcels: 0, counties: 0, chunks: 0, first: null, last: null });
    await endJobs(pool, 'failed');
    expect(await plan(pool)).toMatchObject({ parcels: 2, chunks: 1 });
  });

  test('drops marks of parcels that have left the roll', async () => {
    await insertLots(pool, range(0, 3));
    await markParcels(pool, ['roads']);
    await retireParcels(pool, [COUNTY + 2]);
    expect(await plan(pool)).toMatchObject({ parcels: 2 });
    expect((await marksOf(pool)).map(mark => mark.property_id)).toEqual([COUNTY + 1, COUNTY + 3]);
  });

  test('marks the parcels of a county, or all parcels, for the requested kinds', async () => {
    await insertLots(pool, range(0, 3));
    const elsewhere = 33_017;
    await insertParcels(pool, [parcelOf(500, elsewhere)]);
    expect(await plan(pool, { scope: { fips: elsewhere } })).toMatchObject({ parcels: 1, counties: 1 });
    expect((await marksOf(pool)).map(mark => mark.layers)).toEqual([ALL_LAYERS]);
    expect(await plan(pool, { scope: { all: true }, layers: ['wetlands', 'flood'] })).toMatchObject({
      parcels: 4,
      counties: 2,
    });
    expect((await marksOf(pool)).map(mark => mark.layers)).toEqual([ALL_LAYERS, 12, 12, 12]);
  });

  test('interrupted between two counties, is completed by another one', async () => {
    await insertLots(pool, range(0, 5));
    await insertParcels(pool, [parcelOf(500, 33_017)]);
    await markParcels(pool, ['roads']);
    const stopping = new AbortController();
    const seen: { jobs: number; share: number }[] = [];
    const onJobs = (jobs: string[], share: number) => {
      seen.push({ jobs: jobs.length, share });
      stopping.abort(new Error('the worker stops'));
    };
    const scope = { dirty: true } as const;
    const stopped = planAttributes(pool, { scope }, { chunkParcels: 2, signal: stopping.signal, onJobs });
    await expect(stopped).rejects.toThrow('the worker stops');
    expect(seen).toEqual([{ jobs: 1, share: 0.5 }]);
    expect(await plan(pool, { scope }, 2)).toMatchObject({ parcels: 5, chunks: 3 });
    expect(await openChunks(pool)).toHaveLength(4);
  });

  test('waits for a merge that is writing marks, and then plans them', async () => {
    await insertLots(pool, range(0, 3));
    const merge = await pool.connect();
    await merge.query('begin');
    await merge.query('insert into attributes_dirty (fips, property_id, layers) values (33019, $1, 31)', [
      COUNTY + 1,
    ]);
    const planning = plan(pool, { scope: { fips: 33_019 }, layers: ['roads'] });
    await expect.poll(() => lockWaits({ pool })).toBe(1);
    await merge.query('commit');
    merge.release();
    expect(await planning).toMatchObject({ parcels: 3 });
    expect((await marksOf(pool)).map(mark => mark.layers)).toEqual([31, 2, 2]);
  });
});
