#!/usr/bin/env node
// Starts the operator's command line from its build, in this process: signals and exit codes are its own.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const importFile = path => import(pathToFileURL(path).href);

/** A checkout builds what is missing or stale. A container image has what it was built with. */
async function findBuild() {
  const builder = join(root, 'tools', 'build.mjs');
  if (existsSync(builder)) return (await importFile(builder)).build();
  const [name] = readdirSync(join(root, 'dist'));
  process.env.PLAT_BUILD = join(root, 'dist', name);
  return process.env.PLAT_BUILD;
}

/** A package that is missing, unlike a file of ours. */
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
  const remedy = existsSync(join(root, 'node_modules')) ? 'incomplete' : 'not installed';
  process.stderr.write(
    `The dependencies are ${remedy}: run \`npm ci\` in ${root} and try again.\n${error.message}\n`,
  );
  process.exitCode = 1;
}
