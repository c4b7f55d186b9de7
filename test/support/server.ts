import { chmodSync, mkdtempSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedServer, startEmbedded } from '../../shared/platform/embedded-postgres.ts';

/**
 * Settings for databases that don't have to survive a crash, on a machine that the server shares with two
 * test workers.
 */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  shared_buffers: '128MB',
  max_connections: '300',
  // Accepts connections from the hosts of test/distributed/hosts.test.ts.
  ...(process.env.TEST_HOSTS !== undefined && { listen_addresses: '*' }),
};

export const FOLDER_PREFIX = 'plat-test-';

export type TestServer = EmbeddedServer & { folder: string };

/** Starts a throwaway PostgreSQL in a new temporary folder, or the one that already exists in `folder`. */
export async function startTestServer(folder = makeFolder()): Promise<TestServer> {
  return { ...(await startEmbedded(join(folder, 'postgres'), SETTINGS)), folder };
}

/**
 * Linux's in-memory file system. Creating a database there took 45 to 69 ms. On disk, it took 57 to 460 ms,
 * depending on what else was using the disk.
 */
const MEMORY = '/dev/shm';
/**
 * Free space required there: room for the WAL (up to about 4 GB, by max_wal_size) and the same amount again
 * for the databases of running test files.
 */
const ROOM_BYTES = 8 * 2 ** 30;

/** Folders where there may be throwaway servers. */
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
  // When run as root, the server runs as another user, who needs access to the folder.
  chmodSync(folder, 0o755);
  return folder;
}

/** The URL of another database on the same server. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** Runs statements on a short-lived connection. */
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
