import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ATTRIBUTE_JOBS, finishJobs } from '../../cli/up/up-jobs.ts';
import { createTestDatabase } from '../support/database.ts';
import { markParcels } from '../support/land.ts';
import { insertLots, settle } from './attributes-support.ts';

const { pool } = await createTestDatabase();
const { signal } = new AbortController();
let out = '';

beforeEach(async () => {
  out = '';
  vi.spyOn(process.stdout, 'write').mockImplementation(chunk => {
    out += chunk;
    return true;
  });
  await pool.query('truncate parcels, parcel_filters, parcel_attributes, attributes_dirty, jobs');
  await insertLots(pool, [0, 1, 2]);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Ends the jobs that were handed on, as a worker does. */
const endJobs = () => pool.query("update jobs set status = 'done'");

test('a start waits for due parcels, and requests them if no job is on its way', async () => {
  await markParcels(pool, ['roads']);
  let delivered = 0;
  const deliver = async (ids: string[]) => {
    delivered += ids.length;
    await settle(pool);
    await endJobs();
  };
  await finishJobs(ATTRIBUTE_JOBS, { db: pool, deliver, signal }, 60_000);
  expect({ delivered, out }).toEqual({ delivered: 1, out: '' });
});

test('it requests nothing if nothing is due, and never twice', async () => {
  const deliver = vi.fn(async () => void (await endJobs()));
  await finishJobs(ATTRIBUTE_JOBS, { db: pool, deliver, signal }, 60_000);
  expect(deliver).not.toHaveBeenCalled();
  // A job that ends without having done anything.
  await markParcels(pool, ['roads']);
  await finishJobs(ATTRIBUTE_JOBS, { db: pool, deliver, signal }, 60_000);
  expect(deliver).toHaveBeenCalledTimes(1);
  expect(out).toMatch(/^[^\n]*`npx plat status`[^\n]*\n$/);
});

test('it waits no longer than its limit: the workers go on', async () => {
  await markParcels(pool, ['roads']);
  await finishJobs(ATTRIBUTE_JOBS, { db: pool, deliver: async () => {}, signal }, 300);
  expect(out).toMatch(/^[^\n]*\b3 parcels[^\n]*\n$/);
});
