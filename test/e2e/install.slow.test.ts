import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { rootDir } from '../../shared/platform/root.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

let root: string;

/**
 * A clone with two packages of its own instead of ours: what npm does is the same and takes half a second.
 */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'plat-install-'));
  folders.push(root);
  mkdirSync(join(root, 'tools'));
  mkdirSync(join(root, 'bin'));
  cpSync(join(rootDir, 'tools', 'install.mjs'), join(root, 'tools', 'install.mjs'));
  cpSync(join(rootDir, 'bin', 'plat.mjs'), join(root, 'bin', 'plat.mjs'));
  for (const name of ['api', 'shared', 'workers', 'cli']) mkdirSync(join(root, name));
  cpSync(join(rootDir, 'tools', 'build.mjs'), join(root, 'tools', 'build.mjs'));
  cpSync(join(rootDir, '.npmrc'), join(root, '.npmrc'));
  for (const name of ['first', 'second']) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
  }
  writeLock();
});

/** Writes package.json and a lockfile for it. */
function writeLock(): void {
  const manifest = {
    name: 'clone',
    version: '1.0.0',
    engines: { node: '>=20.19' },
    dependencies: { first: 'file:first' },
    devDependencies: { second: 'file:second' },
  };
  const lock = {
    name: 'clone',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': manifest,
      first: { version: '1.0.0' },
      second: { version: '1.0.0', dev: true },
      'node_modules/first': { resolved: 'first', link: true },
      'node_modules/second': { resolved: 'second', link: true, dev: true },
    },
  };
  writeFileSync(join(root, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock));
}

type Options = {
  env?: Record<string, string>;
  umask?: number;
  uid?: number;
  gid?: number;
  nodeArgs?: string[];
};

function install(options: Options = {}) {
  const { env = {}, umask = 0o022, nodeArgs = [], ...account } = options;
  const command = `umask ${umask.toString(8)}; exec "$0" "$@"`;
  const { stdout, stderr, status } = spawnSync(
    'sh',
    ['-c', command, process.execPath, ...nodeArgs, join(root, 'tools', 'install.mjs')],
    {
      encoding: 'utf8',
      cwd: root,
      env: { PATH: process.env.PATH, HOME: root, ...env },
      ...account,
    },
  );
  return { stdout, stderr, status };
}

const installed = () => readdirSync(join(root, 'node_modules')).filter(name => !name.startsWith('.'));

describe('tools/install.mjs', () => {
  test('installs what is missing with one message, and is silent afterwards', () => {
    const first = install();
    expect(first.status).toBe(0);
    expect(first.stdout).toMatch(/^[^\n]*npm ci/);
    expect(installed()).toEqual(['first', 'second']);
    expect(install()).toEqual({ stdout: '', stderr: '', status: 0 });
  });

  test('accepts what was installed with npm', () => {
    spawnSync('npm', ['ci'], { cwd: root, shell: process.platform === 'win32' });
    expect(install()).toEqual({ stdout: '', stderr: '', status: 0 });
  });

  test('repairs an install that was interrupted or incomplete', () => {
    install();
    // npm ci begins by emptying the folder and writes its record last.
    rmSync(join(root, 'node_modules', '.package-lock.json'));
    expect(install().stdout).not.toBe('');
    rmSync(join(root, 'node_modules', 'second'));
    expect(install().stdout).not.toBe('');
    expect(installed()).toEqual(['first', 'second']);
  });

  test('notices missing packages of a workspace', () => {
    install();
    const file = join(root, 'package-lock.json');
    const lock = JSON.parse(readFileSync(file, 'utf8'));
    lock.packages['second/node_modules/third'] = { version: '1.0.0' };
    writeFileSync(file, JSON.stringify(lock));
    expect(install().stdout).not.toBe('');
  });

  test('works with CI=true and with NODE_ENV=production, including dev dependencies, and under umask 077', () => {
    const options = { env: { CI: 'true', NODE_ENV: 'production' }, umask: 0o077 };
    expect(install(options)).toMatchObject({ status: 0 });
    expect(installed()).toEqual(['first', 'second']);
    expect(install(options).stdout).toBe('');
  });

  test.skipIf(process.getuid?.() !== 0)('works as an ordinary user', () => {
    const owner = { uid: 65_534, gid: 65_534 };
    const give = (path: string) => {
      chownSync(path, owner.uid, owner.gid);
      for (const entry of readdirSync(path, { withFileTypes: true })) {
        if (entry.isDirectory()) give(join(path, entry.name));
      }
    };
    give(root);
    chmodSync(root, 0o700);
    expect(install({ ...owner, umask: 0o077 })).toMatchObject({ status: 0, stderr: '' });
    expect(install(owner).stdout).toBe('');
  });

  test("reports npm's error and how to continue", () => {
    writeFileSync(join(root, 'package-lock.json'), '{"lockfileVersion": 3, "packages": {}}');
    const failed = install();
    expect(failed.status).toBe(1);
    expect(failed.stderr).toMatch(/dependencies/);
    writeLock();
    expect(install().status).toBe(0);
  });

  test('two at once do not get into each other’s way', async () => {
    const run = () =>
      new Promise<{ code: number | null; said: string }>(resolve => {
        const child = spawn(process.execPath, [join(root, 'tools', 'install.mjs')], {
          cwd: root,
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        let said = '';
        child.stdout.on('data', chunk => {
          said += chunk;
        });
        child.on('close', code => resolve({ code, said }));
      });
    const results = await Promise.all([run(), run()]);
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    expect(results.filter(({ said }) => said.includes('Installing'))).toHaveLength(1);
    expect(existsSync(join(root, '.install.lock'))).toBe(false);
  });

  test('takes over the lock of a killed process', () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(join(root, '.install.lock'), String(pid));
    expect(install().status).toBe(0);
  });

  test('says which Node version it needs on an older one', () => {
    const old = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'18.20.1'})";
    const { status, stderr } = install({ nodeArgs: ['--import', old] });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(
        /^[^\n]*\b20\.19\b[^\n]*\b18\.20\.1\b[^\n]*https:\/\/nodejs\.org[^\n]*\n$/,
      ),
    });
    expect(existsSync(join(root, 'node_modules'))).toBe(false);
  });
});

describe('bin/plat.mjs', () => {
  const plat = () =>
    spawnSync(process.execPath, [join(root, 'bin', 'plat.mjs'), '--version'], { encoding: 'utf8' });

  test('names the remedy if the dependencies are missing', () => {
    const { status, stderr } = plat();
    expect(status).toBe(1);
    expect(stderr).toContain(`\`npm ci\` in ${root}`);
  });

  test('names the remedy if they are incomplete', () => {
    mkdirSync(join(root, 'node_modules'));
    expect(plat().stderr).toContain(`\`npm ci\` in ${root}`);
  });
});
