import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { EXAMPLE_ID } from '../../api/v1/examples/examples.ts';
import { newCaller, startTestApi } from '../support/api.ts';
import { apiProcesses } from '../support/api-process.ts';
import { attackWith, MAX_RATIO, slowdown } from '../support/attack.ts';
import { createTestDatabase } from '../support/database.ts';
import { exportFile } from '../support/exports.ts';

/** Those who read a file slowly, which needs no key, must not keep calls waiting. */

const db = await createTestDatabase({}, { sample: true });
const local = await startTestApi(db);
const { url } = await apiProcesses(db).startApi();
const { key } = await newCaller(db);
const { key: other } = await newCaller(db);
const made = await exportFile(db, local, key, {
  filter: { county: '33019' },
  format: 'geojsonl',
  boundary: true,
});
const file = url + new URL(made.url!).pathname;
const detail = `${url}/api/public/v1/properties/${EXAMPLE_ID}/`;

test.runIf(process.env.TEST_ATTACKS)(
  '300 slow readers of one address leave others within 20 times their quiet 99th percentile',
  async () => {
    const attack = attackWith(300, { url: file, readsSlowly: true });
    const ratio = await slowdown(async signal => {
      const response = await fetch(detail, {
        headers: { Authorization: `Bearer ${other}` },
        ...(signal && { signal }),
      });
      expect(response.status).toBe(200);
      await response.text();
    }, attack);
    expect(ratio).toBeLessThanOrEqual(MAX_RATIO);
    expect(attack.statuses).toEqual(new Set([200, 429]));
  },
);

test('a file is complete once they have left', async () => {
  await expect.poll(async () => (await fetch(file, { headers: { Range: 'bytes=0-0' } })).status).toBe(206);
  const bytes = Buffer.from(await (await fetch(file)).arrayBuffer());
  if (made.parts.length === 1) expect(hash('sha256', bytes)).toBe(made.parts[0]!.sha256);
  expect(bytes.length).toBe(made.parts.reduce((sum, part) => sum + part.bytes, 0));
});
