import { expect, test, vi } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { all, ingestRoll, lot } from '../../support/ingest.ts';

// No geometry is known whose union cannot be resolved; the clipper is third-party code that may find one.
vi.mock('../../../shared/geo/overlay.ts', async importOriginal => ({
  ...(await importOriginal<object>()),
  combineParts() {
    throw new Error('the union could not be resolved');
  },
}));

const { folder, pool } = await createTestDatabase();

test("parts that can't be merged: the first stands for the parcel, the others are rejected", async () => {
  const features = [0, 1, 2].map(n => ({
    properties: { PIN: n === 2 ? 'B' : 'A', OWNER: 'X' },
    geometry: lot(n),
  }));
  const columns = { owner_name: 'OWNER' };
  const { counts, runId } = await ingestRoll(pool, folder, 'unions', features, { columns });
  expect(counts).toMatchObject({ new: 2, dropped: { geometry: 1 } });
  const rejects = await all(
    pool,
    'select input, row_no, field, reason, raw from run_rejects where run_id = $1',
    [runId],
  );
  expect(rejects).toEqual([
    { input: 'roll', row_no: 2, field: 'geometry', reason: 'geometry_not_united', raw: '{"key" : "A"}' },
  ]);
  const boxes = await all<{ extent: string; alone: string }>(
    pool,
    'select extent::text from parcels order by source_key',
  );
  expect(boxes[0]!.extent).toContain('-721500000');
});
