import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { serverFolders } from '../../../shared/platform/postgres-user.ts';

/** `nobody`, whom Debian, Alpine and macOS all know. */
const account = { uid: 65_534, gid: 65_534 };

test.skipIf(process.getuid?.() !== 0)(
  'root’s packages that are closed to others are copied to where the server can run them',
  () => {
    const root = mkdtempSync(join(tmpdir(), 'plat-closed-'));
    const native = join(root, 'native');
    let base: string | undefined;
    try {
      mkdirSync(join(native, 'bin'), { recursive: true });
      writeFileSync(join(native, 'bin', 'postgres'), '#!/bin/sh\necho runs\n');
      symlinkSync('postgres', join(native, 'bin', 'alias'));
      // As npm leaves them under umask 077.
      for (const path of [native, join(native, 'bin'), join(native, 'bin', 'postgres')])
        chmodSync(path, 0o700);

      const folders = serverFolders(join(root, '.plat'), native, account);
      base = folders.base;
      for (const name of ['postgres', 'alias']) {
        const { stdout } = spawnSync(join(folders.native, 'bin', name), {
          encoding: 'utf8',
          cwd: '/',
          ...account,
        });
        expect(stdout).toBe('runs\n');
      }
    } finally {
      rmSync(root, { recursive: true, force: true });
      if (base !== undefined && dirname(base) === '/var/lib/plat')
        rmSync(base, { recursive: true, force: true });
    }
  },
);
