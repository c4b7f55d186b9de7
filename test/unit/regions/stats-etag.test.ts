import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { encodeRegionStats, newRegionTable, type RegionFields } from '../../../shared/domain/market-stats.ts';
import { METRIC_COUNT } from '../../../shared/kernels/stats/stats-table.ts';
import { statsEtag } from '../../../shared/regions/stats-etag.ts';

const region: RegionFields = {
  id: '78b5033a-d2a6-5d19-b2bf-83916be6fa57',
  type: 'county',
  name: 'Sullivan',
  state: 'NH',
  county_name: 'Sullivan',
  fips: '33019',
};

function exampleTable() {
  const table = newRegionTable();
  for (const bucket of [0, 11]) {
    table.filled[bucket] = 1;
    for (let i = 0; i < METRIC_COUNT; i++) {
      table.hundredths[bucket * METRIC_COUNT + i] = i % 3 === 0 ? Number.NaN : 137 * i + bucket;
    }
  }
  return table;
}

test('is the same for the same region and figures, whatever stands in buckets that are not filled', () => {
  const table = exampleTable();
  const etag = statsEtag(region, table);
  expect(etag).toMatch(/^"[\w-]{22}"$/);
  table.hundredths[5 * METRIC_COUNT] = 7;
  expect(statsEtag(region, table)).toBe(etag);
});

test('differs with every field, every figure and every bucket', () => {
  const etags = new Set([statsEtag(region, exampleTable()), statsEtag(region, newRegionTable())]);
  let changes = 2;
  for (const field of Object.keys(region)) {
    etags.add(statsEtag({ ...region, [field]: 'other' }, exampleTable()));
    changes++;
  }
  for (const bucket of [0, 11]) {
    for (let i = 0; i < METRIC_COUNT; i++) {
      const table = exampleTable();
      const at = bucket * METRIC_COUNT + i;
      table.hundredths[at] = Number.isNaN(table.hundredths[at]) ? 0 : table.hundredths[at]! + 1;
      etags.add(statsEtag(region, table));
      changes++;
    }
  }
  const moved = exampleTable();
  moved.filled[11] = 0;
  moved.filled[12] = 1;
  moved.hundredths.copyWithin(12 * METRIC_COUNT, 11 * METRIC_COUNT, 12 * METRIC_COUNT);
  expect(etags.add(statsEtag(region, moved)).size).toBe(changes + 1);
});

// When this fails, responses are encoded to other bytes: raise RESPONSE_FORMAT, or those that are stored stay as they are.
test('stands for these very bytes', () => {
  const body = encodeRegionStats(region, exampleTable());
  expect([
    statsEtag(region, exampleTable()),
    createHash('sha256').update(body).digest('hex').slice(0, 16),
  ]).toEqual(['"w-j3HYJ-t57aA3s4K8klff"', '3b5532b6ec165653']);
});
