import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';

/** What a running Plat uses, apart from its database server. */
export type Usage = {
  /** Resident megabytes of the API and of the workers. */
  apiMb: number;
  workersMb: number;
  /** Open file handles of all processes. */
  handles: number;
  connections: number;
  /** Megabytes of files in PLAT_DIR and of the database. */
  filesMb: number;
  databaseMb: number;
};

export async function measureUsage(folder: string, parent: number, pool: pg.Pool): Promise<Usage> {
  const processes = descendants(parent).map(pid => ({ pid, command: read(`/proc/${pid}/cmdline`) }));
  const nodes = processes.filter(({ command }) => !command.includes('postgres'));
  const rssMb = (program: string) =>
    nodes.filter(({ command }) => command.includes(program)).reduce((sum, { pid }) => sum + rssOf(pid), 0);
  const { rows } = await pool.query<{ connections: number; bytes: string }>(
    `select (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
     pg_database_size(current_database()) as bytes`,
  );
  return {
    apiMb: rssMb('api/main'),
    workersMb: rssMb('workers/main'),
    handles: nodes.reduce((sum, { pid }) => sum + handlesOf(pid), 0),
    connections: rows[0]!.connections,
    filesMb: sizeOf(folder) / 1e6,
    databaseMb: Number(rows[0]!.bytes) / 1e6,
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended.
    return '';
  }
}

function descendants(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(name => Number(/\) \S (\d+)/.exec(read(`/proc/${name}/stat`))?.[1]) === pid)
    .map(Number);
  return [pid, ...children.flatMap(descendants)];
}

const rssOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1_000;

function handlesOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** Bytes of the folder's files, without those of the database server. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.parentPath.includes('/postgres'))
    .reduce((sum, { parentPath, name }) => {
      try {
        return sum + statSync(join(parentPath, name)).size;
      } catch {
        return sum;
      }
    }, 0);
}
