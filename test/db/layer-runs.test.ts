import { afterAll, expect, test, vi } from 'vitest';
import { printRun } from '../../workers/cli/runs.ts';
import { createTestDatabase } from '../support/database.ts';
import { ingest, tempFolder } from '../support/ingest.ts';
import { road, roadFeed, writeRoads } from '../support/layers.ts';

const { pool, config } = await createTestDatabase();
const folder = tempFolder();
afterAll(folder.remove);

test('plat runs show tells what became of a layer, and nothing that only parcels have', async () => {
  writeRoads(folder.path, 'shown', [road(0), road(0), road(1, 'S1200'), road(2, 'S1740'), road(3, '')]);
  const feed = roadFeed(folder.path, 'shown', { gates: { max_reject_percent: 50 } });
  const { runId } = await ingest(pool, feed);
  const written: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation(text => written.push(String(text)) > 0);
  try {
    await printRun({ pool, config } as Parameters<typeof printRun>[0], runId, false);
  } finally {
    spy.mockRestore();
  }
  const text = written.join('');
  expect(text).toMatch(/run \d+ of shown: merged/);
  const figures = Object.fromEntries(
    [...text.matchAll(/^ {2}(\w+) {2,}(.*)$/gm)].map(match => match.slice(1)),
  );
  expect(figures).toMatchObject({
    ...{ read: 'layer 5', rows: '2', new: '2', unchanged: '0', retired: '0', identical: '1' },
    ...{ counting: 'local 2, normal 1', not_counting: 'S1740 1', rejected: 'missing_class 1' },
  });
  for (const figure of ['parts', 'returned', 'dropped', 'filled']) expect(figures).not.toHaveProperty(figure);
  expect(text).toContain('layer row 5, class: missing_class: class and mtfcc are empty');
});
