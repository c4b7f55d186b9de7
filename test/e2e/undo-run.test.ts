import { expect, test } from 'vitest';
import { undoJob } from '../../shared/feeds/undo-runs.ts';
import { undoRunJob } from '../../workers/ingest/undo-run-job.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { all, type Feature, ingestRoll, insertRegions, lot } from '../support/ingest.ts';
import { commandsOn } from '../support/plat.ts';
import { newUser, visitor } from '../support/visitor.ts';
import { jobContext, workerConfig } from '../support/workers.ts';

/** A run is undone by an operator, at /admin or by the command. */

const db = await createTestDatabase();
const { folder, pool } = db;
const api = await startTestApi(db, { pages: true });
const { plat } = commandsOn(db);

const parcels = (from: number, to: number, owner: string): Feature[] =>
  Array.from({ length: to - from }, (_, i) => ({
    properties: { PIN: `P${from + i}`, OWNER: owner },
    geometry: lot(from + i),
  }));
const load = (features: Feature[]) =>
  ingestRoll(pool, folder, 'roll', features, {
    columns: { owner_name: 'OWNER' },
    gates: { max_key_drop_percent: 100, max_row_drop_percent: 100 },
  });
const owners = () =>
  all(
    pool,
    'select owner_name as owner, count(*)::int as n from parcels where retired_at is null group by 1',
  );

test('the page of the latest merged run has a button, which asks for confirmation', async () => {
  await insertRegions(pool, [{ type: 'county', code: '33019', state: 'NH', fips: 33019 }]);
  const operator = visitor(api);
  await operator.signIn(await newUser(db, { operator: true }));
  const first = await load(parcels(0, 20, 'RIGHT'));
  const bad = await load(parcels(10, 25, 'WRONG'));
  const page = (run: number) => operator.open(`/admin/runs/${run}`);
  const button = `href="/admin/undo?run=${bad.runId}"`;
  expect((await page(first.runId)).text).not.toContain('/admin/undo');
  expect((await page(bad.runId)).text).toContain(button);

  const asked = await operator.open(`/admin/undo?run=${bad.runId}`);
  expect(asked.status).toBe(200);
  expect(asked.text).toContain(`name="run" value="${bad.runId}"`);
  expect((await operator.open(`/admin/undo?run=${first.runId}`)).status).toBe(409);
  for (const unknown of ['999', 'x', ''])
    expect((await operator.open(`/admin/undo?run=${unknown}`)).status).toBe(404);
  const customer = visitor(api);
  await customer.signIn(await newUser(db));
  expect((await customer.submit('/admin/undo', { run: String(bad.runId) })).status).toBe(404);

  const sent = await operator.submit('/admin/undo', { run: String(bad.runId) });
  expect([sent.status, sent.headers.get('location')]).toEqual([303, '/admin']);
  const [job] = await all<{ id: string; payload: { run: number; requestedBy: string } }>(
    pool,
    'select id, payload from jobs where name = $1',
    [undoJob.name],
  );
  expect(job!.payload.run).toBe(bad.runId);
  const context = { ...jobContext(pool, workerConfig(db, 'postgres')), jobId: job!.id };
  const result = (await undoRunJob.run(context, job!.payload)) as unknown as {
    runId: number;
    status: string;
  };
  expect(result.status).toBe('merged');
  expect(await owners()).toEqual([{ owner: 'RIGHT', n: 20 }]);
  // The job again, as after a death of its worker, has the same result.
  expect(await undoRunJob.run(context, job!.payload)).toMatchObject({ runId: result.runId });

  const { text } = await operator.open('/admin');
  expect(text).toContain('Undone');
  expect(text).toContain(`undid run ${bad.runId}`);
  expect((await page(bad.runId)).text).not.toContain('/admin/undo');
  expect((await page(result.runId)).text).not.toContain('/admin/undo');
  expect((await operator.submit('/admin/undo', { run: String(bad.runId) })).status).toBe(409);
});

test('plat runs undo queues it, or refuses with the reason', async () => {
  const bad = await load(parcels(10, 26, 'OTHER'));
  const undone = await plat('runs', 'undo', String(bad.runId), '--json');
  expect(undone.code).toBe(0);
  expect(JSON.parse(undone.out)).toMatchObject({ added: true, notes: expect.any(Array) });
  const refused = await plat('runs', 'undo', '1');
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.err).toContain(`Run ${bad.runId} of roll`);
  const listed = JSON.parse((await plat('runs', '--json')).out) as {
    id: number;
    status: string;
    undoes: number;
  }[];
  expect(listed.filter(({ status, undoes }) => status === 'undone' || undoes !== null)).toHaveLength(2);
});
