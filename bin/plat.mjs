#!/usr/bin/env node
// Runs the built CLI in this process, so that signals and exit codes are passed through directly.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const importFile = path => import(pathToFileURL(path).href);

/** A checkout builds whatever is missing or stale. A container image already contains its build. */
async function findBuild() {
  const builder = join(root, 'tools', 'build.mjs');
  if (existsSync(builder)) return (await importFile(builder)).build();
  const [name] = readdirSync(join(root, 'dist'));
  process.env.PLAT_BUILD = join(root, 'dist', name);
  return process.env.PLAT_BUILD;
}

/** Whether the error is about a missing package rather than one of our own files. */
function isMissingPackage(error) {
  return error?.code === 'ERR_MODULE_NOT_FOUND' && /^Cannot find package/.test(error.message);
}

async function start() {
  process.setSourceMapsEnabled(true);
  const { main } = await importFile(join(await findBuild(), 'cli', 'main.mjs'));
  process.exitCode = await main(process.argv.slice(2));
}

try {
  await start();
} catch (error) {
  if (!isMissingPackage(error)) throw error;
  const state = existsSync(join(root, 'node_modules')) ? 'incomplete' : 'not installed';
  process.stderr.write(
    `Dependencies are ${state}. Run \`npm ci\` in ${root} and try again.\n${error.message}\n`,
  );
  process.exitCode = 1;
}
