import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openProgress } from '../../../cli/common/cli-enqueue.ts';
import { listCounts, table } from '../../../cli/common/cli-output.ts';
import { claimState, clearState, readState, writeState } from '../../../cli/common/cli-state.ts';
import { watchDisk } from '../../../cli/up/up-command.ts';
import { loadConfig } from '../../../shared/platform/config.ts';
import { diskSpace } from '../../../shared/platform/disk.ts';
import { findPort } from '../../../shared/platform/port.ts';
import type { JobState } from '../../../shared/platform/queue/jobs.ts';
import { csv, csvCell } from '../../../shared/platform/to-csv.ts';
import { testFolder } from '../../support/folder.ts';

const folder = testFolder();

describe('tables for people', () => {
  test('columns are as wide as needed, numbers right-aligned, missing values blank', () => {
    const rows = [
      { name: 'a', rows: 1234567, at: new Date('2026-01-02T03:04:05.678Z') },
      { name: 'longer', rows: null, at: null },
    ];
    expect(table(rows, ['name', 'rows', 'at'])).toBe(
      [
        'name         rows  at',
        '------  ---------  --------------------',
        'a       1,234,567  2026-01-02 03:04:05Z',
        'longer',
      ].join('\n'),
    );
    expect(table([], ['x'])).toBe('(none)');
  });

  test('counts read as a sentence', () => {
    expect(listCounts({ missing_key: 3, bad_date: 12000 })).toBe('missing_key 3, bad_date 12,000');
    expect(listCounts({})).toBe('none');
  });
});

test.each([
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠SUM(A1)', "'＠SUM(A1)"],
  [' ＝1', "' ＝1"],
  ['+1+1', "'+1+1"],
  ['-A1', "'-A1"],
  ['+1 603 555 0100', "'+1 603 555 0100"],
  ['-', "'-"],
  ['+1', '+1'],
  ['-1.5', '-1.5'],
  ['-1.5e-7', '-1.5e-7'],
  [-1e-7, '-1e-7'],
  ['-.5', '-.5'],
  // Neutralized by its text, whatever the type.
  [['=1', 2], `"'=1,2"`],
])('a CSV cell of %j is %j', (value, cell) => {
  expect(csvCell(value)).toBe(cell);
});

test('CSV quotes where necessary and neutralizes formulas', () => {
  const rows = [
    { name: '\t=1', at: new Date('2026-01-02T03:04:05.678Z'), amount: -5 },
    { name: 'a, "b"', at: null, amount: 0.5 },
    { name: '\r@x', at: undefined, amount: null },
  ];
  expect(csv(rows, ['name', 'at', 'amount'])).toBe(
    'name,at,amount\r\n\'\t=1,2026-01-02T03:04:05.678Z,-5\r\n"a, ""b""",,0.5\r\n"\'\r@x",,',
  );
});

describe('progress', () => {
  const state = (over: Partial<JobState>): JobState => ({
    id: '',
    name: 'ingest.run',
    key: '',
    payload: null,
    status: 'running',
    progress: 0,
    note: null,
    result: null,
    error_code: null,
    error: null,
    attempts: 1,
    deaths: 0,
    next_at: null,
    queued_at: new Date(),
    started_at: null,
    finished_at: null,
    ...over,
  });
  function show(isTTY: boolean): string {
    const out = Object.assign(new PassThrough(), { isTTY, columns: 100, cursorTo() {}, clearLine() {} });
    let text = '';
    out.on('data', chunk => {
      text += chunk;
    });
    const view = openProgress(out as unknown as NodeJS.WriteStream);
    view.update('lots', state({ status: 'queued' }));
    view.update('lots', state({ progress: 0.21, note: 'roll: 10 rows' }));
    view.update('lots', state({ progress: 0.22, note: 'roll: 20 rows' }));
    view.update('lots', state({ status: 'failed', progress: 0.22, error: 'Row 7 is no row.' }));
    view.stop();
    out.end();
    return text;
  }

  test('is plain lines without a terminal, one per step', () => {
    expect(show(false)).toBe(
      '  lots: 0% queued\n  lots: 21% roll: 10 rows\n  lots: 22% failed: Row 7 is no row.\n',
    );
  });

  test('is a bar on a terminal', () => {
    expect(show(true)).toMatch(/lots +\[.*\] 22% failed: Row 7 is no row\./);
  });
});

describe('the only plat up in a checkout', () => {
  const config = loadConfig({ PLAT_DIR: folder });
  const file = join(folder, 'up.json');
  const urls = { databaseUrl: 'postgres://x', apiUrl: 'http://127.0.0.1:3000' };

  test('is visible to other commands, and a second one is refused', () => {
    expect(readState(config)).toBeUndefined();
    claimState(config);
    const others = statSync(config.PLAT_DIR).mode & 0o077;
    expect([0, 0o011]).toContain(others);
    expect(statSync(join(config.PLAT_DIR, 'up.json')).mode & 0o777).toBe(0o600);
    expect(readState(config)).toMatchObject({ pid: process.pid, databaseUrl: null, apiUrl: null });
    expect(() => claimState(config)).toThrow(new RegExp(`\\b${process.pid}, starting\\b`));
    writeState(config, urls);
    expect(readState(config)).toMatchObject(urls);
    expect(() => claimState(config)).toThrow(`${process.pid}, http://127.0.0.1:3000`);
    clearState(config);
    expect(readState(config)).toBeUndefined();
  });

  test("that was killed isn't mistaken for a running one: neither by its id, nor if another process has that id now", () => {
    for (const pid of [2 ** 22 + 1, process.ppid]) {
      writeFileSync(file, JSON.stringify({ pid, born: '1', ...urls }));
      expect(readState(config)).toBeUndefined();
      claimState(config);
      expect(JSON.parse(readFileSync(file, 'utf8')).pid).toBe(process.pid);
      clearState(config);
    }
  });

  test('needs a writable folder', () => {
    const blocked = loadConfig({ PLAT_DIR: join(file, 'below-a-file') });
    writeFileSync(file, '');
    expect(() => claimState(blocked)).toThrow(/below-a-file .*\([A-Z]+\)/);
  });
});

describe('the port', () => {
  test('is the next free one if the requested one is taken, and any for 0', async () => {
    const taken = createServer();
    onTestFinished(() => void taken.close());
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    const found = await findPort('127.0.0.1', port);
    expect(found).toBeGreaterThan(port);
    expect(found).toBeLessThan(port + 50);
    expect(await findPort('127.0.0.1', 0)).toBeGreaterThan(0);
  });

  test("for a host that isn't this machine is refused", async () => {
    await expect(findPort('192.0.2.1', 3000)).rejects.toMatchObject({
      code: 'host',
      message: expect.stringMatching(/^HOST is 192\.0\.2\.1, .*EADDRNOTAVAIL/),
    });
    await expect(findPort('no such host', 3000)).rejects.toMatchObject({ code: 'host' });
  });
});

describe('TRUSTED_PROXIES', () => {
  test.each(['', 'loopback', '127.0.0.1', '10.0.0.0/8, fd00::/8', 'uniquelocal,10.1.0.0/255.255.0.0'])(
    'may be "%s"',
    value => {
      expect(loadConfig({ TRUSTED_PROXIES: value }).TRUSTED_PROXIES).toBe(value);
    },
  );

  test.each([
    'true',
    '1',
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0.0/0',
    'fd00::/129',
    '10.0.0.1/8/8',
    '10.0.0.0/',
  ])('may not be "%s"', value => {
    expect(() => loadConfig({ TRUSTED_PROXIES: value })).toThrow(/TRUSTED_PROXIES: /);
  });
});

test('a disk that is nearly full is reported once, and again after there was space', async () => {
  const spaces = [true, true, false, true].map(low => ({
    path: '/data',
    freeBytes: 1.2e9,
    totalBytes: 40e9,
    low,
  }));
  const said: string[] = [];
  const watching = watchDisk(
    async () => spaces.shift()!,
    text => said.push(text),
    1,
  );
  while (spaces.length > 0) await new Promise(resolve => setTimeout(resolve, 1));
  clearInterval(watching);
  const told =
    'The disk is nearly full: 1.2 of 40.0 GB free at /data. Free some space. Workers pause while it is full.';
  expect(said).toEqual([told, told]);
  expect(await diskSpace('/')).toMatchObject({
    path: '/',
    totalBytes: expect.any(Number),
    low: expect.any(Boolean),
  });
});
