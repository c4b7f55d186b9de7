import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { findPort } from '../../shared/platform/port.ts';
import { serverAccount } from '../../shared/platform/postgres-user.ts';
import { testFolder } from './folder.ts';
import { onServer } from './server.ts';
import { eventually } from './workers.ts';

/** Servers in a Citus cluster that a test may kill. */

export type CitusServer = {
  url: string;
  port: number;
  /** Stops all its processes at once. Data already written is available after the next start. */
  kill(): Promise<void>;
  start(): Promise<void>;
};

/** @param bin the program folder of a PostgreSQL installation with Citus */
export async function startCitusServer(bin: string, name: string): Promise<CitusServer> {
  const account = serverAccount();
  const data = testFolder();
  if (account !== undefined) chownSync(data, account.uid, account.gid);
  const options = { ...account, cwd: data, stdio: 'ignore', env: { PATH: process.env.PATH } } as const;
  const words = '-A trust -U postgres -E UTF8 --locale=C --no-sync'.split(' ');
  execFileSync(join(bin, 'initdb'), ['-D', data, ...words], options);
  const port = await findPort('127.0.0.1', 0);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    jit: 'off',
    shared_preload_libraries: 'citus',
    wal_level: 'logical',
    max_prepared_transactions: 100,
    'citus.local_hostname': '127.0.0.1',
    // Allows reading the connections.
    'citus.node_conninfo': 'sslmode=disable',
  };
  const flags = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const launch = () => spawn(join(bin, 'postgres'), ['-D', data, ...flags], options);
  let server = launch();
  const ready = () =>
    eventually(() =>
      onServer(url, async () => true).catch(() => {
        if (server.exitCode !== null) throw new Error(`${name} did not start: ${data}`);
        return false;
      }),
    );
  const kill = async () => {
    const ended = once(server, 'exit');
    // PostgreSQL's immediate shutdown: no process can finish its work.
    server.kill('SIGQUIT');
    await ended;
  };
  afterAll(kill);
  await ready();
  return {
    url,
    port,
    kill,
    async start() {
      server = launch();
      await ready();
    },
  };
}

/** Holds data that contains this word, on a connection that has written to the owners' table. */
type Gate = { word: string; reached(): void; opened: Promise<void> };

/** A proxy in front of a server. It can hold the commit of a transaction that writes to the owners' table. */
export async function watchLine(server: CitusServer) {
  let gate: Gate | undefined;
  let writers = new WeakSet<Socket>();
  const line = createServer(here => {
    const there = connect(server.port, '127.0.0.1');
    for (const [one, other] of [
      [here, there],
      [there, here],
    ] as const)
      one.on('error', () => {}).on('close', () => other.destroy());
    there.pipe(here);
    here.on('data', async (sent: Buffer) => {
      if (sent.includes('owner_parcels')) writers.add(here);
      if (gate !== undefined && writers.has(here) && sent.includes(gate.word)) {
        here.pause();
        gate.reached();
        await gate.opened;
        here.resume();
      }
      if (!here.destroyed) there.write(sent);
    });
  });
  line.listen(0, '127.0.0.1');
  await once(line, 'listening');
  afterAll(() => line.close());
  return {
    port: (line.address() as { port: number }).port,
    /** @returns a promise that resolves when a commit is held, and a function that releases it */
    holdAt(word: string): { held: Promise<void>; release(): void } {
      writers = new WeakSet();
      let release = () => {};
      const opened = new Promise<void>(resolve => {
        release = () => {
          gate = undefined;
          resolve();
        };
      });
      const held = new Promise<void>(reached => {
        gate = { word, reached, opened };
      });
      return { held, release: () => release() };
    },
  };
}
