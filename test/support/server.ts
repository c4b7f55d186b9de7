import { chmodSync, mkdtempSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedServer, startEmbedded } from '../../shared/platform/embedded-postgres.ts';

/** Nothing in a test database has to survive a crash, and two workers share the machine with the server. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  shared_buffers: '128MB',
  max_connections: '300',
  // Other hosts, which test/distributed/hosts.test.ts makes.
  ...(process.env.TEST_HOSTS !== undefined && { listen_addresses: '*' }),
};

export const FOLDER_PREFIX = 'plat-test-';

export type TestServer = EmbeddedServer & { folder: string };

/** Starts a throw-away PostgreSQL in a new temporary folder, or the one that is in `folder` already. */
export async function startTestServer(folder = makeFolder()): Promise<TestServer> {
  return { ...(await startEmbedded(join(folder, 'postgres'), SETTINGS)), folder };
}

/**
 * Memory as a file system, which Linux has. Making a database took 45 to 69 ms there; on a disk, by what that
 * had to do besides, 57 to 460.
 */
const MEMORY = '/dev/shm';
/**
 * So much has to be free there: the log (about 4 GB at most, by max_wal_size), and as much for the databases
 * of the files that run.
 */
const ROOM_BYTES = 8 * 2 ** 30;

/** Where throw-away servers may be. */
export const FOLDERS = [MEMORY, tmpdir()];

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return Math.min(bavail * bsize, freemem()) > ROOM_BYTES;
  } catch {
    return false;
  }
}

function makeFolder(): string {
  const folder = mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), FOLDER_PREFIX));
  // As root, the server runs as another user, who has to pass through.
  chmodSync(folder, 0o755);
  return folder;
}

/** The same server's URL with another database. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** Runs statements on one short connection. */
export async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
