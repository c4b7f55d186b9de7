import { type ChildProcess, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { TestDatabase } from './database.ts';

/**
 * Hosts in network namespaces on one bridge. The test process and PostgreSQL run on the host `db`. When two
 * hosts are cut off from each other, packets between them disappear, as with a broken switch, so no
 * connection is refused or reset.
 */

const NET = '10.231.0.';
const HOSTS = { db: 1, redis: 3, balancer: 5, a: 11, b: 12 } as const;
export type Host = keyof typeof HOSTS;
export const address = (host: Host) => NET + HOSTS[host];
export const netns = (host: Host) => `plat-test-${host}`;
const NOWHERE = '02:00:00:00:00:01';

export const ip = (...args: string[]) =>
  execFileSync('ip', args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString();

/**
 * Creates the hosts.
 * @returns an array to add the processes that run on them to, so that they are stopped together with the
 * hosts
 */
export function connectHosts(): ChildProcess[] {
  const programs: ChildProcess[] = [];
  const others = (Object.keys(HOSTS) as Host[]).filter(host => host !== 'db');
  const clear = () => {
    for (const link of ['br', ...others]) quietly('link', 'del', link === 'br' ? 'platbr' : `plat-${link}`);
    for (const host of others) quietly('netns', 'del', netns(host));
  };
  afterAll(() => {
    for (const child of programs) child.kill('SIGKILL');
    clear();
  });
  // Removes what a killed run left behind.
  clear();
  ip('link', 'add', 'platbr', 'type', 'bridge');
  ip('addr', 'add', `${address('db')}/24`, 'dev', 'platbr');
  ip('link', 'set', 'platbr', 'up');
  for (const host of others) {
    ip('netns', 'add', netns(host));
    ip('link', 'add', `plat-${host}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', netns(host));
    ip('link', 'set', `plat-${host}`, 'master', 'platbr', 'up');
    ip('-n', netns(host), 'addr', 'add', `${address(host)}/24`, 'dev', 'eth0');
    for (const device of ['lo', 'eth0']) ip('-n', netns(host), 'link', 'set', device, 'up');
  }
  return programs;
}

function quietly(...args: string[]): void {
  try {
    ip(...args);
  } catch {}
}

/**
 * Sends the traffic between two hosts to a network card that doesn't exist.
 * @returns a function that restores it
 */
export function cut(one: Host, other: Host): () => void {
  const change = (verb: 'replace' | 'del') => {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      const inside = from === 'db' ? [] : ['-n', netns(from)];
      const device = ['dev', from === 'db' ? 'platbr' : 'eth0'];
      ip(
        ...inside,
        'neigh',
        verb,
        address(to),
        ...(verb === 'del' ? [] : ['lladdr', NOWHERE, 'nud', 'permanent']),
        ...device,
      );
    }
  };
  change('replace');
  return () => change('del');
}

/** Allows the hosts to connect to the test server, which listens on all addresses if TEST_HOSTS is set. */
export async function letIn({ pool }: TestDatabase): Promise<void> {
  const { rows } = await pool.query<{ file: string }>("select current_setting('hba_file') as file");
  writeFileSync(rows[0]!.file, `host all all ${NET}0/24 scram-sha-256\n`, { flag: 'a' });
  await pool.query('select pg_reload_conf()');
}

/** The configuration from docs/scale.md, plus a port that leads only to host a. */
export function writeBalancer(folder: string): string {
  const file = join(folder, 'haproxy.cfg');
  const servers = (['a', 'b'] as const).map(
    host => `  server ${host} ${address(host)}:3000 check inter 1s fall 2 rise 2\n`,
  );
  writeFileSync(
    file,
    `defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 40s
  option redispatch
frontend plat
  bind :80
  default_backend api
backend api
  option httpchk GET /readyz
${servers.join('')}listen a
  bind :8011
  server a ${address('a')}:3000
`,
  );
  return file;
}
