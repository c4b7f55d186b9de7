import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from './config.ts';
import type { Db } from './db.ts';
import { type DiskSpace, diskSpace } from './disk.ts';
import { isLoopback } from './origin.ts';

export type NamedDisk = DiskSpace & { holds: string[]; full: boolean };

/**
 * A disk with less free space than this counts as full. There is room for an email or a log line, but not for
 * a county.
 */
const FULL_BYTES = 100e6;

/**
 * The disks on this host that Plat writes to, without duplicates.
 * @param dataDirectory the database's data directory, if it is on this host
 */
export async function listDisks(
  { PLAT_DIR }: Pick<Config, 'PLAT_DIR'>,
  dataDirectory: string | null,
): Promise<NamedDisk[]> {
  const folders: [string, string | null][] = [
    ['PLAT_DIR', PLAT_DIR],
    ['uploads', join(PLAT_DIR, 'uploads')],
    ['database', dataDirectory],
  ];
  const disks = new Map<number, NamedDisk>();
  for (const [name, folder] of folders) {
    const there = folder === null ? null : await nearestFolder(folder);
    if (there === null) continue;
    const known = disks.get(there.device);
    if (known) known.holds.push(name);
    else {
      const space = await diskSpace(there.path);
      disks.set(there.device, { ...space, holds: [name], full: space.freeBytes < FULL_BYTES });
    }
  }
  return [...disks.values()];
}

/** The folder or its nearest existing parent. The first write creates missing folders. */
async function nearestFolder(path: string): Promise<{ path: string; device: number } | null> {
  const found = await stat(path).catch(() => null);
  if (found !== null) return { path, device: found.dev };
  return dirname(path) === path ? null : nearestFolder(dirname(path));
}

/** The database's data directory. null if it is on another host, or hidden from this role. */
export async function localDataDirectory(db: Db, { DATABASE_URL }: Config): Promise<string | null> {
  if (DATABASE_URL === undefined || !isLocal(DATABASE_URL)) return null;
  const [row] = await db.run<{ path: string }>('platform/find_data_directory');
  const path = row?.path;
  // A container's database may be at a path that doesn't exist on this host, or that has other contents.
  return path !== undefined && (await stat(join(path, 'postmaster.pid')).catch(() => null)) !== null
    ? path
    : null;
}

export async function fullDisks(db: Db, config: Config): Promise<string[]> {
  const disks = await listDisks(config, await localDataDirectory(db, config));
  return disks.flatMap(({ full, holds }) => (full ? holds : []));
}

function isLocal(url: string): boolean {
  const { hostname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname;
  return host === '' || host.startsWith('/') || isLoopback(host.replaceAll(/[[\]]/g, ''));
}
