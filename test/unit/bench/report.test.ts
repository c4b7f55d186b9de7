import { describe, expect, test } from 'vitest';
import { judged } from '../../bench/bench.ts';
import { markdownReport, plainReport } from '../../bench/report.ts';

const machine = { cpu: 'A CPU', cores: '2', memory: '8 GB', node: '20.19.0', postgresql: '18.4' };
const fast = judged(
  { name: 'ingest', reference: 'COPY', value: 2.5, unit: 'x', details: { ms: 1_200 } },
  { most: 3 },
);
const slow = judged(
  { name: 'again', reference: 'COPY', value: 2.04, unit: 'x', details: { ms: 900 } },
  { most: 2 },
);

describe('the bench report', () => {
  test('compares a figure with its limit, to the last digit', () => {
    expect(fast).toMatchObject({ pass: true, reach: 'at most 3.0 x' });
    expect(slow).toMatchObject({ pass: false, reach: 'at most 2.0 x' });
    const least = { name: 'stats', reference: 'SQL', unit: 'x', details: {} } as const;
    expect(judged({ ...least, value: 5 }, { least: 5 })).toMatchObject({
      pass: true,
      reach: 'at least 5.0 x',
    });
    expect(judged({ ...least, value: 4.99 }, { least: 5 }).pass).toBe(false);
    expect(judged({ ...least, unit: 'MB', value: 401 }, { most: 400 })).toMatchObject({
      pass: false,
      reach: 'at most 400 MB',
    });
  });

  test('prints every figure with its reference and limit, missed ones as missed, and the machine', () => {
    const text = plainReport([fast, slow], machine, false);
    expect(text).toMatch(/^A CPU, 2 cores, 8 GB; Node 20\.19\.0, PostgreSQL 18\.4$/m);
    expect(text).toMatch(/^ingest +COPY +at most 3\.0 x +2\.50 x +reached$/m);
    expect(text).toMatch(/^again +COPY +at most 2\.0 x +2\.04 x +MISSED$/m);
    expect(text).toContain('ingest: ms 1200');
  });

  test('says that figures of quick runs mean nothing', () => {
    expect(plainReport([slow], machine, true)).toMatch(
      /2\.04 x +not judged$[\s\S]*only prove that the benches run/m,
    );
    expect(markdownReport([fast], machine, true)).toMatch(/\bbenches\b/);
    expect(plainReport([fast], machine, false)).not.toMatch(/--quick/);
  });
});
