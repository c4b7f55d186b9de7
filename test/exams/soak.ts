import { execFile, spawn } from 'node:child_process';
import { Console } from 'node:console';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { findPort } from '../../shared/platform/port.ts';
import { rootDir } from '../../shared/platform/root.ts';
import { measureUsage, type Usage } from './measure-usage.ts';
import { callDoor, DOORS, type Doors } from './soak-doors.ts';

/**
 * `npm run soak`: starts Plat in an empty folder, keeps every door busy, loads the sample's feeds again every
 * few minutes, and compares what it uses in the second half of the time with the first half.
 */

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '120' } } });
const MINUTES = Number(values.minutes);
/** The first part, in which caches fill and code is compiled, isn't compared. */
const WARM_UP = 0.2;
/** How many means over time the report shows. */
const PARTS = 8;
const SAMPLE_MS = 10_000;
const PAUSE_MS = 200;
const FEED_MS = 3 * 60_000;
/** Busy machines are allowed to refuse with 503. */
const EXPECTED = /^2|^503$/;
/** How much the mean of the second half may be above that of the first. */
const ALLOWED: Record<keyof Usage, { share: number; more: number }> = {
  apiMb: { share: 0.1, more: 0 },
  workersMb: { share: 0.1, more: 0 },
  handles: { share: 0.1, more: 5 },
  connections: { share: 0.1, more: 3 },
  filesMb: { share: 0.1, more: 5 },
  databaseMb: { share: 0.1, more: 20 },
};

const folder = mkdtempSync(join(tmpdir(), 'plat-soak-'));
// As root, the database server runs as another user.
chmodSync(folder, 0o755);
const env = {
  ...process.env,
  PLAT_DIR: join(folder, 'plat'),
  FEEDS_DIR: join(folder, 'feeds'),
  PORT: String(await findPort('127.0.0.1', 24_000 + (process.pid % 1_000))),
  DATABASE_URL: '',
  REDIS_URL: '',
};
const plat = async (...argv: string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, ['bin/plat.mjs', ...argv], { cwd: rootDir, env })).stdout;

const up = spawn(process.execPath, ['bin/plat.mjs', 'up'], {
  cwd: rootDir,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const receiver = createServer(
  (request, response) => void request.resume().on('end', () => response.writeHead(204).end()),
);
receiver.listen(0, '127.0.0.1');
const out = new Console(process.stdout);
let isOver = false;
try {
  await new Promise<void>(resolve =>
    up.stdout.on('data', text => String(text).includes('Ctrl-C') && resolve()),
  );
  const isFlat = await soak();
  process.exitCode = isFlat ? 0 : 1;
} finally {
  isOver = true;
  const exited = once(up, 'exit');
  up.kill('SIGTERM');
  await exited;
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
}

async function soak(): Promise<boolean> {
  const { databaseUrl, apiUrl } = JSON.parse(readFileSync(join(env.PLAT_DIR, 'up.json'), 'utf8'));
  const doors = await openDoors(apiUrl);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const counts: Record<string, Record<string, number>> = {};
  const clients = DOORS.map(async door => {
    const own: Record<string, number> = {};
    counts[door] = own;
    while (!isOver) {
      const statuses = await callDoor(doors, door).catch(() => ({ lost: 1 }));
      for (const [status, count] of Object.entries(statuses)) own[status] = (own[status] ?? 0) + count;
      await sleep(PAUSE_MS);
    }
  });
  const feeds = runFeeds();
  const usages: Usage[] = [];
  const end = performance.now() + MINUTES * 60_000;
  while (performance.now() < end) {
    usages.push(await measureUsage(folder, up.pid!, pool));
    await sleep(SAMPLE_MS);
  }
  isOver = true;
  await Promise.all([...clients, feeds]);
  await pool.end();
  out.table(counts);
  const isServed = Object.values(counts).every(own =>
    Object.keys(own).every(status => EXPECTED.test(status)),
  );
  return report(usages) && isServed;
}

async function openDoors(url: string): Promise<Doors> {
  const email = 'soak@plat.example';
  const often = ['--rate', '60000', '--burst', '60000', '--tokens', '900000000'];
  await plat('account', 'create', 'soak', '--tier', 'scale', '--user', email, ...often);
  const { key } = JSON.parse(
    await plat('key', 'create', 'soak', '--scope', 'api:direct', 'api:mcp', '--json'),
  );
  const link = (await plat('user', 'link', email)).trim();
  const signedIn = await fetch(link, { method: 'POST', redirect: 'manual', headers: { Origin: url } });
  const cookie = signedIn.headers
    .getSetCookie()
    .map(one => one.split(';')[0])
    .join('; ');
  const { port } = receiver.address() as AddressInfo;
  const filter = await fetch(`${url}/api/public/v1/properties/filter/?page_size=1`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: '{"county":"33019"}',
  });
  const [{ property_id: propertyId }] = ((await filter.json()) as { results: [{ property_id: number }] })
    .results;
  return { url, key, cookie, propertyId, webhook: `http://localhost:${port}/` };
}

/** Loads the sample's roll again, which measures and values its parcels again. */
async function runFeeds(): Promise<void> {
  let next = performance.now() + FEED_MS;
  while (!isOver) {
    await sleep(SAMPLE_MS / 10);
    if (performance.now() < next) continue;
    next = performance.now() + FEED_MS;
    await plat('feed', 'run', 'washington-nh', '--force', '--wait');
  }
}

function report(usages: readonly Usage[]): boolean {
  const warm = usages.slice(Math.floor(usages.length * WARM_UP));
  const half = Math.floor(warm.length / 2);
  const mean = (of: keyof Usage, part: readonly Usage[]) =>
    part.reduce((sum, one) => sum + one[of], 0) / part.length;
  const rows = (Object.keys(ALLOWED) as (keyof Usage)[]).map(of => {
    const [first, second] = [mean(of, warm.slice(0, half)), mean(of, warm.slice(half))];
    const { share, more } = ALLOWED[of];
    const parts = Array.from({ length: PARTS }, (_, n) =>
      usages.slice((n * usages.length) / PARTS, ((n + 1) * usages.length) / PARTS),
    );
    return {
      of,
      all: parts.map(part => Math.round(mean(of, part))).join(' '),
      first: first.toFixed(1),
      second: second.toFixed(1),
      flat: second <= first * (1 + share) + more,
    };
  });
  out.table(rows);
  return rows.every(row => row.flat);
}
