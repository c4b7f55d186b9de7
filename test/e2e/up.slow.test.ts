import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { findPort } from '../../shared/platform/port.ts';
import { nativeDir, serverAccount, serverFolders } from '../../shared/platform/postgres-user.ts';
import { rootDir } from '../../shared/platform/root.ts';
import { sampleDir } from '../../workers/ingest/feed-folders.ts';
import { serve } from '../support/http-server.ts';
import { runCommand } from '../support/plat.ts';
import { allProcesses } from '../support/processes.ts';
import { visitor } from '../support/visitor.ts';
import { eventually } from '../support/workers.ts';

// `plat up` as a newcomer runs it, in a folder of its own with a space in its name. The steps
// build on each other.
const outer = mkdtempSync(join(tmpdir(), 'plat-up-'));
// As root, the database server runs as another user, who has to pass through.
chmodSync(outer, 0o755);
const folder = join(outer, 'a folder');
/** Elsewhere than in the folder when the server's user cannot reach the checkout. */
const server = serverFolders(join(folder, 'postgres'), nativeDir(), serverAccount()).base;
const children: ChildProcess[] = [];
const blocker = createServer();
let port = 0;
/** Of the running one. */
let url = '';

let failed = false;
// What a failed step should have left is waited for in vain by those after it.
beforeEach(({ skip }) => skip(failed, 'a step before this one failed'));
afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

beforeAll(async () => {
  // Below those that the system gives, one of which would soon take the next.
  port = await findPort('127.0.0.1', 20_000 + (process.pid % 10_000));
  await new Promise<void>(resolve => blocker.listen(port, '127.0.0.1', resolve));
});

afterAll(async () => {
  blocker.close();
  for (const { pid } of processes()) process.kill(pid, 'SIGKILL');
  for (const child of children) child.kill('SIGKILL');
  await eventually(async () => processes().length === 0);
  for (const path of [outer, server]) rmSync(path, { recursive: true, force: true });
});

function environment(): Record<string, string | undefined> {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PORT: String(port),
    PLAT_DIR: folder,
    FEEDS_DIR: join(outer, 'feeds'),
    DATABASE_URL: '',
    REDIS_URL: '',
    JOB_LOCK_MS: '15000',
  };
}

function up() {
  const child = spawn(process.execPath, ['bin/plat.mjs', 'up'], {
    cwd: rootDir,
    env: environment(),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let out = '';
  child.stdout.on('data', chunk => {
    out += chunk;
  });
  child.stderr.on('data', chunk => {
    out += chunk;
  });
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
  return {
    child,
    exited,
    out: () => out,
    /** Resolves with the end of the welcome. */
    async ready() {
      await eventually(async () => {
        if (child.exitCode !== null) throw new Error(`It ended: ${out}`);
        return /^.*\bCtrl-C\b.*\n/m.test(out);
      });
    },
  };
}

const PROGRAMS = ['api/main.mjs', 'workers/main.mjs', 'plat.mjs up', 'bin/postgres'];

/** What runs with files of the folder, or was started with its settings. */
function processes(): { pid: number; what: string }[] {
  return allProcesses()
    .filter(({ pid, text }) => (text.includes(folder) || text.includes(server)) && pid !== process.pid)
    .map(({ pid, text }) => ({ pid, what: PROGRAMS.find(part => text.includes(part)) ?? 'other' }))
    .sort((a, b) => a.pid - b.pid);
}

const pidOf = (what: string) => processes().find(one => one.what === what)!.pid;

/** What a command prints with --json. */
async function plat(...argv: string[]): Promise<Record<string, unknown>> {
  const { code, out } = await runCommand(environment(), [...argv, '--json']);
  expect([argv, code]).toEqual([argv, 0]);
  return JSON.parse(out);
}

const status = () => plat('status');

/** An answer of the running service to the demo key. */
async function call(path: string, body?: object): Promise<Record<string, unknown>> {
  const authorization = `Bearer ${readFileSync(join(folder, 'demo-key'), 'utf8').trim()}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/public/v1/${path}`, {
    method: body ? 'POST' : 'GET',
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Record<string, unknown>;
}

/** How many parcels of a county a filter finds. */
async function count(county: string, filter: object): Promise<number> {
  return (await call('properties/filter/?page_size=1', { county, ...filter })).count as number;
}

const SAMPLE = {
  counties: 3233,
  feeds: readdirSync(sampleDir).filter(name => name.endsWith('.yaml')).length,
  parcels: 12_558,
  comps: 168,
  regions_with_statistics: 2,
  parcels_due: 0,
};

let first: ReturnType<typeof up>;

test('the first run is killed with -9 in the middle of the sample; its services end on their own', async () => {
  const killed = up();
  await eventually(async () => killed.out().includes('% '));
  process.kill(killed.child.pid!, 'SIGKILL');
  await killed.exited;
  // PostgreSQL stays, for the next start to take over.
  await eventually(async () => processes().every(({ what }) => what === 'bin/postgres'));
});

test('the next start finishes everything, and prints what a newcomer needs', async () => {
  first = up();
  await first.ready();
  const out = first.out();
  expect(out).toMatch(/^PostgreSQL: /m);
  // Mostly the next one. Said again where another test took that before the API was up.
  const used = [...out.matchAll(new RegExp(`\\b${port}\\b.*\\b(\\d+)\\.$`, 'gm'))].at(-1)![1];
  expect(Number(used)).toBeGreaterThan(port);
  url = `http://127.0.0.1:${used}`;
  expect(out).toMatch(/^Regions: 3,233 counties, 4\d,\d{3} ZIP codes\.$/m);
  // Plain lines where there is no terminal.
  for (const feed of ['bangor-me', 'washington-nh', 'washington-nh-listings'])
    expect(out).toMatch(new RegExp(`^ {2}${feed}: 100% done$`, 'm'));
  expect(out).not.toContain('\u001b');

  const key = readFileSync(join(folder, 'demo-key'), 'utf8').trim();
  expect(statSync(join(folder, 'demo-key')).mode & 0o077).toBe(0);
  expect(out).toMatch(new RegExp(`demo key +${key} `));
  expect(await status()).toMatchObject({
    api: url,
    jobs_failed: 0,
    regions_due: 0,
    ...SAMPLE,
  });
});

test('the printed calls can be pasted, and return what the text says', async () => {
  const calls = [...first.out().matchAll(/^ {2}curl -H (.*)\n {2}-> (\d+), (\d+) tokens: (.*)$/gm)];
  expect(calls.map(([, , code, tokens]) => [code, tokens])).toEqual([
    ['200', '10'],
    ['200', '10'],
    ['404', '0'],
  ]);
  for (const [, args, code, tokens, shown] of calls) {
    // What a shell makes of the line; not every machine has curl.
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${args}`], { cwd: rootDir, encoding: 'utf8' });
    const [header, called] = words.split('\n');
    const answer = await fetch(called!, { headers: [header!.split(': ') as [string, string]] });
    expect([answer.status, answer.headers.get('x-tokens-used')]).toEqual([Number(code), tokens]);
    const body = await answer.text();
    const same = (text: string) => text.slice(0, 100).replace(/"request_id".*/, '');
    expect(same(body)).toBe(same(shown!));
    if (answer.ok) expect(JSON.parse(body).stats.length).toBeGreaterThan(0);
  }
  const [link, admin] = [/web app +(\S+)/, /admin +(\S+)/].map(line => line.exec(first.out())![1]!);
  const newcomer = visitor({ url });
  await newcomer.submit(new URL(link!).pathname, {});
  expect((await newcomer.open(new URL(admin!).pathname)).status).toBe(200);
  const [, page, user, password] = /queues {11}(\S+) {3}\(user (\S+), password (\S+)\)$/m.exec(first.out())!;
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  expect((await fetch(page!, { headers: { authorization } })).status).toBe(200);
});

/** What filters tell of the ground: how many parcels they find. */
async function land() {
  const bangor = (filter: object) => count('23019', filter);
  const washington = (filter: object) => count('33019', filter);
  /** 27 State Street, of which 9.44 % are steeper than 5 %. */
  const steep = { property_id: 2301900000046, slope_area_index: 2 };
  return {
    bangor: {
      all: await bangor({}),
      landlocked: await bangor({ only_landlocked: true }),
      served: await bangor({ exclude_landlocked: true }),
      unmapped: await bangor({ access: ['unmapped'] }),
      gentle: await bangor({ slope_area_index: 3, slope_area_percent: 10 }),
      withoutWetlands: await bangor({ wetlands_percent_max: 0 }),
      outOfFloods: await bangor({ flood_zone_percent_max: 0 }),
    },
    washington: {
      all: await washington({}),
      landlocked: await washington({ only_landlocked: true }),
      unmapped: await washington({ access: ['unmapped'] }),
      // No layer covers its heights and waters.
      known: await washington({ wetlands_percent_max: 100 }),
    },
    slope: [
      await bangor({ ...steep, slope_area_percent: 9.43 }),
      await bangor({ ...steep, slope_area_percent: 9.44 }),
    ],
  };
}

test('the demo user has five deals in five stages, whose listings the workers have found', async () => {
  const deals = (await call('deal-flow/listings/')) as unknown as Record<string, unknown>[];
  expect(deals.map(({ status, fetch_status }) => [status, fetch_status])).toEqual(
    ['listed', 'offer_received', 'offer_accepted', 'in_title', 'sold'].map(stage => [stage, 'found']),
  );
  expect(deals[0]).toMatchObject({ address: 'COOLIDGE DRIVE', suggested_action: 'hold' });
});

test('a webhook reaches a program on this machine', async () => {
  const types: string[] = [];
  const receiver = await serve(async (request, response) => {
    types.push((JSON.parse(await text(request)) as { type: string }).type);
    response.writeHead(204).end();
  });
  onTestFinished(receiver.close);
  const authorization = `Bearer ${readFileSync(join(folder, 'demo-key'), 'utf8').trim()}`;
  const post = (path: string, body: object) =>
    fetch(`${url}/api/public/v1/webhooks/${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const added = await post('', { url: receiver.origin, types: ['parcel.new'] });
  expect(added.status).toBe(201);
  const { id } = (await added.json()) as { id: string };
  expect((await post(`${id}/test/`, {})).ok).toBe(true);
  await eventually(async () => types.includes('webhook.test'));
  // Other private addresses stay out of reach.
  expect((await post('', { url: 'http://10.0.0.1/', types: ['parcel.new'] })).status).toBe(400);
});

test('filters and plat describe the terrain of the sample, the same when it is computed again', async () => {
  const before = await land();
  expect(before).toMatchObject({
    bangor: { all: 10_530, gentle: 8_579, withoutWetlands: 9_810, outOfFloods: 9_966 },
    washington: { all: 2_028, known: 0 },
    slope: [0, 1],
  });
  const { bangor, washington } = before;
  expect(bangor.landlocked + bangor.served).toBe(bangor.all);
  expect(Math.abs(bangor.landlocked + bangor.unmapped - 0.036 * bangor.all)).toBeLessThan(30);
  expect(Math.abs(washington.landlocked + washington.unmapped - 0.101 * washington.all)).toBeLessThan(5);
  // Half of the parcels without a mapped road: 80 houses, and 24 lots with a corridor (10 with houses).
  expect(washington.unmapped).toBe(104);
  // Wetlands and flood zones as PostGIS has them: rows 46 and 104 of test/fixtures/overlap/bangor.csv.gz.
  const detail = (serial: number) => call(`properties/${23_019e8 + serial}/`);
  expect(await detail(46)).toMatchObject({ flood_zone_percent: 38.78, wetlands_percent: 0 });
  expect(await detail(104)).toMatchObject({ flood_zone_percent: 0, wetlands_percent: 3.7 });
  // Lots between others, of 110 and 50 feet to the street.
  for (const [serial, feet] of [
    [1_000, 110],
    [5_000, 50],
  ] as const)
    expect(await detail(serial)).toMatchObject({
      highway_frontage_ft: 0,
      road_frontage_ft: 0,
      landlocked: false,
      local_frontage_ft: expect.closeTo(feet, 0),
    });

  const shown = async () => (await plat('parcel', 'show', '3301900000010')).land as { computed_at: string };
  const { computed_at: at, ...figures } = await shown();
  expect(figures).toMatchObject({ landlocked: true, of_boundary: true });
  expect(await plat('recompute', 'attributes', '--fips', '33019', '--wait')).toMatchObject({
    status: 'done',
    result: { parcels: 2_028, counties: 1, failed: 0 },
  });
  const { computed_at: later, ...again } = await shown();
  expect(Date.parse(later)).toBeGreaterThan(Date.parse(at));
  expect(again).toEqual(figures);
  expect(await land()).toEqual(before);
});

test('a second one in the same checkout says that one is already running', async () => {
  const second = up();
  expect((await second.exited)[0]).toBe(1);
  expect(second.out()).toMatch(/^plat: [^\n]*\n$/);
  expect(second.out()).toContain(`${first.child.pid}, ${url}`);
});

test('a process killed with -9 is restarted: API, worker, PostgreSQL', async () => {
  const before = ['api/main.mjs', 'workers/main.mjs', 'bin/postgres'].map(pidOf);
  // The postmaster is the parent of its backends and so the first of them.
  for (const pid of before) process.kill(pid, 'SIGKILL');
  await eventually(async () => {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    return answer?.ok && /^PostgreSQL stopped/m.test(first.out());
  });
  expect(first.out()).toMatch(/^worker 1 .*\(SIGKILL\).*\blog\b/m);
  expect(first.out()).toMatch(/^api .*\(SIGKILL\)/m);
  expect(await status()).toMatchObject(SAMPLE);
});

test('Ctrl-C stops everything cleanly', async () => {
  // As a terminal does it: to the whole process group.
  process.kill(-first.child.pid!, 'SIGINT');
  expect(await first.exited).toEqual([0, null]);
  expect(first.out()).toMatch(/Stopping\.\nStopped\.\n$/);
  expect(processes()).toEqual([]);
  expect(existsSync(join(folder, 'up.json'))).toBe(false);
  expect(readFileSync(join(server, 'server.log'), 'utf8')).toMatch(/database system is shut down\n$/);
});

test('a later start has everything, names a faulty feed file, and stops at once on Ctrl-C during shutdown', async () => {
  mkdirSync(join(outer, 'feeds'));
  writeFileSync(join(outer, 'feeds', 'faulty.yaml'), 'name: faulty\nkind: [');
  const later = up();
  await later.ready();
  expect(later.out()).not.toContain('Loading');
  expect(later.out()).toMatch(/^.*faulty\.yaml:2: /m);
  expect(await status()).toMatchObject(SAMPLE);
  // The terminal is closed.
  process.kill(later.child.pid!, 'SIGHUP');
  await eventually(async () => later.out().includes('Stopping.'));
  later.child.kill('SIGINT');
  expect([0, 1]).toContain((await later.exited)[0]);
  await eventually(async () => processes().length === 0);
});
