#!/usr/bin/env node
// Starts the operator's command line from its TypeScript sources, in this process: signals and exit
// codes are its own.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compiledProgram } from '../shared/platform/compile.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A package that is not there, as against a file of ours. */
function isMissingPackage(error) {
  return error?.code === 'ERR_MODULE_NOT_FOUND' && /^Cannot find package/.test(error.message);
}

async function start() {
  process.setSourceMapsEnabled(true);
  const { main } = await import(pathToFileURL(await compiledProgram('cli/main.ts')).href);
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
