import { expect, test } from 'vitest';
import { storeAssets } from '../../api/pages/frame/stored-assets.ts';
import { startApi } from '../../api/start-api.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { deleteOldRecordsJob } from '../../workers/housekeeping/delete-old-records-job.ts';
import type { JobContext } from '../../workers/queue/job.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';

const db = await createTestDatabase();
const api = await startTestApi(db, { pages: true });

const path = '/assets/frame-0123456789ab.mjs';
const body = Buffer.from('export const release = "other";\n');

test('a process serves the assets of another release', async () => {
  expect((await fetch(api.url + path)).status).toBe(404);
  const other = { list: [{ path, type: 'text/javascript; charset=utf-8', body }] };
  await Promise.all([storeAssets(db.pool, other), storeAssets(db.pool, other)]);
  const page = await fetch(`${api.url}/sign-in`);
  const asset = await fetch(api.url + path);
  expect(asset.status).toBe(200);
  expect(Buffer.from(await asset.arrayBuffer())).toEqual(body);
  expect(Object.fromEntries(asset.headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': page.headers.get('content-security-policy'),
  });
  for (const unknown of ['/assets/frame-ba9876543210.mjs', '/assets/frame.mjs', '/assets/%00'])
    expect((await fetch(api.url + unknown)).status).toBeGreaterThanOrEqual(400);
});

test('a process stores everything that its pages load before it serves', async () => {
  const config = { ...db.config, HOST: '127.0.0.1', PORT: 0 };
  const running = await startApi(config, createLogger(config, 'api'));
  const pages = await Promise.all(
    ['/docs', '/sign-in'].map(async at => (await fetch(running.url + at)).text()),
  );
  await running.stop();
  const loaded = [...pages.join().matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(match => match[1]!);
  expect(loaded.length).toBeGreaterThan(5);
  const { rows } = await db.pool.query('select path from assets');
  expect(rows.map(row => row.path)).toEqual(expect.arrayContaining(loaded));
});

test('assets of a release that has not started for a year are deleted', async () => {
  await db.pool.query("update assets set stored_at = now() - interval '13 months'");
  await storeAssets(db.pool, { list: [{ path, type: 'text/javascript', body }] });
  await deleteOldRecordsJob.run({ db: db.pool } as unknown as JobContext, {});
  const { rows } = await db.pool.query('select path from assets');
  expect(rows).toEqual([{ path }]);
});
