import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeLines } from '../../shared/geo/geometry-codec.ts';
import type { Feed } from '../../workers/ingest/all-kinds.ts';
import type { RunResult } from '../../workers/ingest/engine/locked-run.ts';
import { total } from '../../workers/ingest/engine/run-counts.ts';
import { createTestDatabase } from '../support/database.ts';
import { all, ingest, newName } from '../support/ingest.ts';
import {
  type LayerReading,
  type RoadRow,
  readRoads,
  roadFeatureOf,
  roadRows,
} from '../support/layer-model.ts';
import { roadFeed, storedFeatures, writeRoads } from '../support/layers.ts';
import { runs } from '../support/runs.ts';

const { folder, pool } = await createTestDatabase();

/** Runs the feed past its gates, and holds what became of the rows against the plain reading. */
async function check(feed: Feed, rows: RoadRow[]): Promise<RunResult> {
  writeRoads(folder, feed.name, rows.map(roadFeatureOf));
  const result = await ingest(pool, feed, { force: true });
  const expected = readRoads(rows);
  expectCounts(result, rows, expected);
  const rejects = await all<{ row_no: number; reason: string; raw: string; message: string }>(
    pool,
    'select row_no, reason, raw, message from run_rejects where run_id = $1',
    [result.runId],
  );
  expect(rejects.map(({ row_no, reason }) => `${row_no} ${reason}`).sort()).toEqual(expected.rejects);
  for (const { row_no, raw, message } of rejects) {
    const { properties, geometry } = roadFeatureOf(rows[row_no - 1]!);
    expect(JSON.parse(raw)).toEqual(geometry ? { ...properties, geometry } : properties);
    expect(message).not.toBe('');
  }
  const stored = (await storedFeatures(pool, feed.name)).map(row =>
    JSON.stringify([row.class, decodeLines(row.geometry)]),
  );
  expect(stored.sort()).toEqual([...expected.stored].sort());
  return result;
}

function expectCounts({ counts }: RunResult, rows: RoadRow[], expected: LayerReading): void {
  const { skipped, identical, repaired } = counts;
  const rejected = total(counts.rejected);
  const notCounting = total(counts.not_counting as Record<string, number>);
  const counting = total(counts.counting as Record<string, number>);
  expect({ read: counts.read, skipped, identical, rejected, notCounting, repaired }).toEqual({
    read: { layer: rows.length },
    skipped: expected.skipped,
    identical: expected.identical,
    rejected: expected.rejects.length,
    notCounting: expected.notCounting,
    repaired: expected.repaired,
  });
  const stored = counts.new + counts.unchanged;
  expect(stored).toBe(expected.stored.size);
  expect(counting).toBe(stored + identical);
  expect(stored + identical + notCounting + skipped + rejected).toBe(rows.length);
}

test('every row of a layer is stored, a duplicate, not applicable, skipped, or rejected; the layer equals a simple reading of its file', async () => {
  await fc.assert(
    fc.asyncProperty(roadRows(30), roadRows(30), async (first, second) => {
      const feed = roadFeed(folder, newName(), {
        layer: { skip_where: [{ column: 'SKIP', equals: 'x' }] },
      });
      const { counts: before } = await check(feed, first);
      expect((await check(feed, first)).status).toBe('unchanged');
      const { counts } = await check(feed, second);
      expect(counts.unchanged + counts.retired).toBe(before.new);
    }),
    { numRuns: runs(8) },
  );
});
