// Installs the dependencies if any of the lockfile's packages are missing. npm runs this before start, test,
// check, and bench. It uses plain Node, so that it runs without packages and can report a Node version that
// is too old.
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const lockFile = join(root, '.install.lock');

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Whether `version` (20.19.0) is at least `wanted` (>=20.19). */
function isAtLeast(version, wanted) {
  const [major, minor] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = wanted.replace('>=', '').split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

/** Whether npm should have installed this lockfile entry here. Packages for one libc are left to npm. */
function belongsHere({ os, cpu, libc, optional }) {
  if (libc !== undefined) return false;
  if (os === undefined && cpu === undefined) return !optional;
  return (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true);
}

/** Whether npm's record of node_modules, which it writes last, has every package in the lockfile. */
function isComplete() {
  if (!existsSync(join(modules, '.package-lock.json'))) return false;
  const installed = readJson(join(modules, '.package-lock.json')).packages;
  const wanted = Object.entries(readJson(join(root, 'package-lock.json')).packages);
  return wanted
    .filter(([path, entry]) => path.includes('node_modules/') && belongsHere(entry))
    .every(([path, { version }]) => installed[path]?.version === version && existsSync(join(root, path)));
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * Allows one install at a time, as `npm start` and `npm test` may both run. Ignores a dead process's lock.
 */
function takeLock() {
  let said = false;
  for (;;) {
    try {
      const file = openSync(lockFile, 'wx');
      writeSync(file, String(process.pid));
      closeSync(file);
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    // The file is empty (0) for a moment after it is created.
    const holder = existsSync(lockFile) ? Number(readFileSync(lockFile, 'utf8')) : 0;
    if (holder > 0 && !isAlive(holder)) rmSync(lockFile, { force: true });
    else if (holder > 0 && !said) {
      process.stdout.write(`Waiting for process ${holder}, which is installing the dependencies …\n`);
      said = true;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

async function npmCi() {
  const { spawnSync } = await import('node:child_process');
  // Regardless of NODE_ENV, tests need the development packages, and the first start needs the optional
  // PostgreSQL.
  const which = ['--include=dev', '--include=optional'];
  const args = ['ci', ...which, '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const options = { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] };
  const result =
    npm !== undefined && /\.c?js$/.test(npm)
      ? spawnSync(process.execPath, [npm, ...args], options)
      : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  if (result.error) process.stderr.write(`Couldn't start npm: ${result.error.message}\n`);
  return result.status === 0;
}

async function install() {
  takeLock();
  try {
    if (isComplete()) return 0;
    process.stdout.write(
      existsSync(modules)
        ? 'Reinstalling dependencies (npm ci), because they do not match package-lock.json …\n'
        : 'Installing dependencies (npm ci). The first time takes up to two minutes …\n',
    );
    if (await npmCi()) return 0;
    process.stderr.write(
      "Couldn't install the dependencies. Fix the npm error above, then run the command again.\n",
    );
    return 1;
  } finally {
    rmSync(lockFile, { force: true });
  }
}

const wanted = readJson(join(root, 'package.json')).engines.node;
if (isAtLeast(process.versions.node, wanted)) process.exitCode = isComplete() ? 0 : await install();
else {
  process.stderr.write(
    `Plat needs Node ${wanted.replace('>=', '')} or newer; this is ${process.versions.node}. Install a current version from https://nodejs.org and run the command again.\n`,
  );
  process.exitCode = 1;
}
