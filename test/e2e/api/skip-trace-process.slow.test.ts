import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { newCaller, usageOf } from '../../support/api.ts';
import { apiProcesses } from '../../support/api-process.ts';
import { ADA, contactsFeed } from '../../support/contacts.ts';
import { createTestDatabase } from '../../support/database.ts';
import { testFolder } from '../../support/folder.ts';
import { feedOf, ingest } from '../../support/ingest.ts';
import { commandsOn } from '../../support/plat.ts';

const db = await createTestDatabase();
const folder = testFolder();
const { startApi } = apiProcesses(db);
const { plat, json, refused } = commandsOn(db);

beforeAll(async () => {
  await ingest(
    db.pool,
    contactsFeed(folder, [{ ...ADA, phone1: '6035550101', phone2: '6035550102', phone3: '2075550103' }]),
  );
  writeFileSync(join(folder, 'dnc.txt'), '603,5550102\n');
  await ingest(
    db.pool,
    feedOf(folder, { name: 'dnc', kind: 'dnc', dnc: { source: 'dnc.txt', edition: '2026-01-01' } }),
  );
  writeFileSync(
    join(folder, 'blocks.csv'),
    'npa,nxx,block,operator\n603,555,,VERIZON NEW ENGLAND INC.\n603,555,0,"T-MOBILE USA, INC."\n',
  );
  const columns = { area_code: 'npa', exchange: 'nxx', block: 'block', operator: 'operator' };
  await ingest(
    db.pool,
    feedOf(folder, {
      name: 'blocks',
      kind: 'numbering',
      numbering: { source: 'blocks.csv', format: 'csv', columns },
    }),
  );
});

const trace = async (
  url: string,
  key: string,
  body: object = { first_name: 'Ada', last_name: 'Nowell', zip: '03431' },
) => {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${url}/api/public/v1/skip-trace/`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as { phones: object[] } };
};

test('a service with every source returns line type and registry, reports the age of its edition, and logs no numbers', async () => {
  const { key } = await newCaller(db, { name: 'acme' });
  const api = await startApi({ LOG_LEVEL: 'trace', LOG_REQUESTS: '1' });
  expect((await trace(api.url, key)).body.phones).toEqual([
    { number: '6035550101', line_type: 'Mobile', dnc: false, dnc_as_of: '2026-01-01' },
    { number: '6035550102', line_type: 'Mobile', dnc: true, dnc_as_of: '2026-01-01' },
    { number: '2075550103', line_type: null, dnc: null, dnc_as_of: null },
  ]);
  await trace(api.url, key, { first_name: '6035550101', last_name: 'Nowell', zip: '0' });
  const metrics = await (await fetch(`${api.url}/metrics`)).text();
  expect(Number(/^plat_dnc_edition_age_days (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(31);
  expect(metrics + api.log()).not.toMatch(/555010|Nowell/i);
  expect(api.log()).toContain('skip-trace');
  const status = await plat('status');
  expect(status.out).toMatch(/\b1 numbers? .*\b1 area codes? .*2026-01-01/);
  expect(status.err).toMatch(/Registry .*\b\d+ days\b.*\b31\b/);
});

test('kill -9 during 200 concurrent traces: every response has its charge, and every charge its audit row', async () => {
  const { key, accountId } = await newCaller(db, { skipTracePerMinute: 100_000 });
  const api = await startApi();
  let answered = 0;
  let killed: Promise<void> | undefined;
  const calls = Array.from({ length: 200 }, async () => {
    for (let i = 0; i < 5; i++) {
      const reply = await trace(api.url, key).catch(() => undefined);
      if (reply === undefined) return;
      expect(reply.status).toBe(200);
      if (++answered > 300) killed ??= api.kill();
    }
  });
  await Promise.all(calls);
  await killed;
  const { tokens, calls: charged } = await usageOf(db, accountId);
  const { rows } = await db.pool.query(
    'select count(*)::int as n from traces where account_id = $1 and matched',
    [accountId],
  );
  expect(answered).toBeLessThan(1_000);
  expect(tokens).toBe(20 * charged);
  expect(charged).toBeGreaterThanOrEqual(answered);
  expect(charged).toBeLessThanOrEqual(answered + 200);
  expect(rows[0].n).toBeGreaterThanOrEqual(charged);
});

test('the operator finds, suppresses, and forgets people, and exports who traced them', async () => {
  const who = ['--first', 'Ada', '--last', 'Nowell', '--zip', '03431'];
  expect(await json('contact', 'find', ...who)).toMatchObject([
    { first_name: 'Ada', phones: [{ number: '6035550101' }, {}, {}] },
  ]);
  expect((await plat('contact', 'find', '--phone', '(603) 555-0101')).out).toContain('12 Zephyr St');
  expect((await plat('contact', 'traces', '--account', 'acme', '--csv')).out).toMatch(
    /^asked_at,account,key,endpoint,source,matched,question\r\n[^,]+,acme,test,public_skip_trace,contacts,true,[0-9a-f]{64}\n$/,
  );
  expect(await json('contact', 'suppress', '--phone', '6035550199')).toEqual({ suppressed: 1 });
  expect(await json('contact', 'forget', ...who)).toMatchObject({
    contacts: 1,
    numbers: 3,
    provider_answers: 0,
    kept_responses: 0,
  });
  expect(await json('contact', 'find', ...who)).toEqual([]);
  expect(await json('usage', '--providers')).toEqual([]);
  await plat('account', 'set', 'acme', '--no-skip-trace');
  expect(await json('account', 'show', 'acme')).toMatchObject({ skip_trace: false });
  for (const args of [
    [],
    ['--first', 'Ada', '--zip', '03431'],
    ['--first', 'Ada', '--last', 'Nowell'],
    ['--phone', '555'],
  ]) {
    const { code, err } = await plat('contact', 'find', ...args);
    expect([args, code, err]).toEqual([args, expect.any(Number), expect.stringMatching(/^plat: |error: /m)]);
    expect(code).not.toBe(0);
  }
  await refused(['usage'], 'use --account or --providers');
});
