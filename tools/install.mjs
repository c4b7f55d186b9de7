// Installs the dependencies when they are missing or the lockfile changed; otherwise says nothing. npm runs it
// before start, test, check and bench. Plain Node without packages, so that it runs when there are none and can
// still speak on a Node that is too old for the rest.
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.plat-lock');
const lockFile = join(root, '.install.lock');

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Whether `version` (20.19.0) is at least `wanted` (>=20.19). */
function isAtLeast(version, wanted) {
  const actual = version.split('.').map(Number);
  const least = wanted
    .replace(/[^0-9.]/g, '')
    .split('.')
    .map(Number);
  for (let i = 0; i < least.length; i++) {
    if (actual[i] !== least[i]) return actual[i] > least[i];
  }
  return true;
}

/** Changes with the lockfile and with the platform: a checkout shared between two systems needs two installs. */
function stamp() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform} ${process.arch}\n`;
}

function stamped() {
  try {
    return readFileSync(stampFile, 'utf8');
  } catch (_error) {
    return undefined;
  }
}

/** Whether npm should have installed this lockfile entry here. Packages for one libc are left to npm. */
function belongsHere(entry) {
  const fits = (list, value) => list === undefined || list.includes(value);
  if (entry.libc !== undefined) return false;
  if (entry.os === undefined && entry.cpu === undefined) return !entry.optional;
  return fits(entry.os, process.platform) && fits(entry.cpu, process.arch);
}

/**
 * The packages that the lockfile wants here and npm's own record of node_modules lacks. npm writes that record
 * as the last step of an install, so an interrupted one has none.
 */
function missingPackages() {
  const wanted = readJson(join(root, 'package-lock.json')).packages;
  let installed = {};
  try {
    installed = readJson(join(modules, '.package-lock.json')).packages;
  } catch (_error) {
    // No record: everything is missing.
  }
  return Object.keys(wanted).filter(path => {
    if (!path.startsWith('node_modules/') || !belongsHere(wanted[path])) return false;
    return (
      installed[path] === undefined ||
      installed[path].version !== wanted[path].version ||
      !existsSync(join(root, path))
    );
  });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** One install at a time: `npm start` and `npm test` may meet. The lock of a dead process is void. */
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
    let holder = Number.NaN;
    try {
      holder = Number(readFileSync(lockFile, 'utf8'));
    } catch (_error) {
      continue;
    }
    // An empty file (pid 0) was created a moment ago by a process that has not written its id yet.
    if (holder > 0 && !isAlive(holder)) rmSync(lockFile, { force: true });
    else {
      if (!said)
        process.stdout.write(`Waiting for process ${holder}, which is installing the dependencies …\n`);
      said = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
}

async function npmCi() {
  const { spawnSync } = await import('node:child_process');
  // The tests need the development packages, the first start the optional PostgreSQL: NODE_ENV must not omit them.
  const args = [
    'ci',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--loglevel=error',
  ];
  const npm = process.env.npm_execpath;
  const options = { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] };
  const result =
    npm !== undefined && /\.c?js$/.test(npm)
      ? spawnSync(process.execPath, [npm, ...args], options)
      : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  if (result.error) process.stderr.write(`npm could not be started: ${result.error.message}\n`);
  return result.status === 0;
}

async function install() {
  takeLock();
  try {
    if (stamped() === stamp()) return 0;
    process.stdout.write(
      existsSync(modules)
        ? 'Installing the dependencies again (npm ci): they do not match package-lock.json …\n'
        : 'Installing the dependencies (npm ci); the first time takes about a quarter of a minute …\n',
    );
    rmSync(stampFile, { force: true });
    if (!(await npmCi())) {
      process.stderr.write(
        'The dependencies could not be installed. Mend what npm says above, then run the command again.\n',
      );
      return 1;
    }
    const missing = missingPackages();
    if (missing.length === 0) writeFileSync(stampFile, stamp());
    // npm passes over an optional package that it could not fetch; the next start tries again.
    else process.stderr.write(`npm left out ${missing.join(', ')}: the next start tries again.\n`);
    return 0;
  } finally {
    rmSync(lockFile, { force: true });
  }
}

async function main() {
  const wanted = readJson(join(root, 'package.json')).engines.node;
  if (!isAtLeast(process.versions.node, wanted)) {
    process.stderr.write(
      `Plat needs Node ${wanted.replace('>=', '')} or newer; this is ${process.versions.node}. Install a current one from https://nodejs.org and run the command again.\n`,
    );
    return 1;
  }
  const known = stamped();
  if (known === stamp()) return 0;
  // Somebody ran npm by hand: what is there may well be right.
  if (known === undefined && existsSync(modules) && missingPackages().length === 0) {
    writeFileSync(stampFile, stamp());
    return 0;
  }
  return install();
}

process.exitCode = await main();
