import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { rootDir } from '../../shared/platform/root.ts';
import { newCaller, posting, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { type Feature, ingestRoll, lot, undo } from '../support/ingest.ts';

const db = await createTestDatabase({}, { regions: true });
const { folder, pool } = db;
let now = new Date();
const api = await startTestApi(db, { now: () => now });
const { key } = await newCaller(db);

const [, program] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(rootDir, 'docs/changes.md'), 'utf8'))!;
const script = join(folder, 'copy.mts');
writeFileSync(script, program!);
const copyFile = join(folder, 'parcels.json');

type Copy = { cursor: string; parcels: Record<string, Record<string, unknown>> };

/** Runs the program of the page, and tells what its copy has. */
async function sync(): Promise<Copy> {
  const env = { ...process.env, PLAT_URL: api.url, PLAT_KEY: key, COPY: copyFile };
  await promisify(execFile)(process.execPath, ['--import', 'tsx', script], { cwd: rootDir, env });
  return JSON.parse(readFileSync(copyFile, 'utf8')) as Copy;
}

type Summary = Record<string, unknown>;

async function readSummaries(): Promise<Summary[]> {
  const found: Summary[] = [];
  let url: string | null = '/api/public/v1/properties/filter/?page_size=500';
  while (url !== null) {
    const { json } = await api.call(url, posting(key, JSON.stringify({ county: '33019' })));
    const page = json as { results: Summary[]; next: string | null };
    found.push(...page.results);
    url = page.next === null ? null : page.next.slice(page.next.indexOf('/api/'));
  }
  return found;
}

/** The copy has every field of every summary, as the API shows it; fields of the roll may come on top. */
async function expectInStep(): Promise<void> {
  const { parcels } = await sync();
  const summaries = await readSummaries();
  expect(Object.keys(parcels).length).toBe(summaries.length);
  for (const summary of summaries) {
    const copied = parcels[String(summary.property_id)] ?? {};
    expect(Object.fromEntries(Object.keys(summary).map(name => [name, copied[name]]))).toEqual(summary);
  }
}

const merge = (features: Feature[]) =>
  ingestRoll(pool, folder, 'roll', features, {
    columns: { owner_name: 'OWNER', acres: 'ACRES', situs_address: 'SITUS' },
    gates: { max_key_drop_percent: 100, max_row_drop_percent: 100, empty_columns: false },
  });

const parcel = (n: number, more: Record<string, unknown> = {}, at = n): Feature => ({
  properties: { PIN: `P${n}`, OWNER: `OWNER ${n}`, ACRES: null, SITUS: `${n} Main St`, ...more },
  geometry: lot(at),
});

test('the program in docs/changes.md keeps a copy in sync', async () => {
  expect(program!.split('\n').filter(line => line.trim() !== '').length).toBeLessThanOrEqual(32);
  await expectInStep();
  await merge(Array.from({ length: 600 }, (_, n) => parcel(n)));
  await expectInStep();
  const next = Array.from({ length: 700 }, (_, n) => parcel(n, n < 550 ? { OWNER: 'ANOTHER' } : {}));
  next.splice(10, 20);
  next[0] = parcel(0, { ACRES: 3 }, 900);
  await merge(next);
  await expectInStep();
  await merge(Array.from({ length: 600 }, (_, n) => parcel(n)));
  await expectInStep();
  const bad = await merge(Array.from({ length: 650 }, (_, n) => parcel(n + 20, n < 15 ? { ACRES: 7 } : {})));
  await expectInStep();
  await undo(pool, bad.runId);
  await expectInStep();
  // A copy that was left alone too long is made anew.
  writeFileSync(copyFile, JSON.stringify({ ...(await sync()), parcels: {} }));
  now = new Date(now.getTime() + 401 * 86_400_000);
  await expectInStep();
});
