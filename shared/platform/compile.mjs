// Makes programs of the TypeScript sources, once for as long as these stay as they are. Compiling every
// module while it is loaded takes a second of processor time at each start.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const FOLDERS = ['api', 'cli', 'shared', 'workers'];

/** What runs in processes and threads of its own. */
const PROGRAMS = [
  'cli/main.ts',
  'api/main.ts',
  'api/shapes/shape-thread.ts',
  'workers/main.ts',
  'workers/formats/reader-child.ts',
];

/** A build that was not started for so long goes. What still runs may load the rest of its own until then. */
const KEEP_MS = 7 * 86_400_000;

let folder;

/** Path of a program, compiled, by that of its source, such as 'api/main.ts'. */
export async function compiledProgram(source) {
  folder ??= build();
  return join(await folder, source.replace(/\.ts$/, '.mjs'));
}

async function build() {
  const cache = join(root, 'node_modules', '.cache', 'plat');
  const made = join(cache, digestOf(readSources()));
  if (existsSync(made)) {
    markUsed(made);
    return made;
  }
  // First, as it says what is wrong where packages are missing.
  await import('esbuild');
  const unfinished = makeFolder(cache);
  if (unfinished === undefined) return buildForThisProcess();
  try {
    await bundle(PROGRAMS, unfinished);
    renameSync(unfinished, made);
    prune(cache);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process may have been first.
    if (!existsSync(made)) throw error;
  }
  return made;
}

/** Undefined where the installation may not be written. */
function makeFolder(cache) {
  try {
    mkdirSync(cache, { recursive: true });
    return mkdtempSync(join(cache, 'new-'));
  } catch {
    return undefined;
  }
}

async function buildForThisProcess() {
  const own = mkdtempSync(join(tmpdir(), 'plat-program-'));
  process.once('exit', () => rmSync(own, { recursive: true, force: true }));
  // Packages are looked for above the module that imports them.
  symlinkSync(join(root, 'node_modules'), join(own, 'node_modules'), 'junction');
  await bundle(PROGRAMS, own);
  return own;
}

function prune(cache) {
  for (const name of readdirSync(cache)) {
    const old = join(cache, name);
    const { mtimeMs } = statSync(old, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (mtimeMs < Date.now() - KEEP_MS) rmSync(old, { recursive: true, force: true });
  }
}

function markUsed(made) {
  try {
    utimesSync(made, new Date(), new Date());
  } catch {
    // Where it may not be written nothing is pruned either.
  }
}

/** All that a build is made of, and where that stands: the sources' addresses are in it. */
function* readSources() {
  yield root;
  for (const folder of FOLDERS) {
    const names = readdirSync(join(root, folder), { recursive: true });
    for (const name of names.filter(each => /\.(tsx?|mjs)$/.test(each)).sort()) {
      yield name;
      yield readFileSync(join(root, folder, name));
    }
  }
}

function digestOf(parts) {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part).update('\n');
  return digest.digest('hex').slice(0, 24);
}

const LOADERS = { '.ts': 'ts', '.tsx': 'tsx', '.mjs': 'js' };

/** In two parts, so that this file, compiled, still compiles. */
const META = ['import', 'meta'].join('.');

/** Sources keep their own addresses, from which they find the files beside them. */
const addresses = {
  name: 'addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.(tsx?|mjs)$/ }, async ({ path }) => ({
      loader: LOADERS[extname(path)],
      contents: (await readFile(path, 'utf8'))
        .replaceAll(`${META}.url`, JSON.stringify(pathToFileURL(path).href))
        .replaceAll(`${META}.dirname`, JSON.stringify(dirname(path))),
    }));
  },
};

/** Writes sources of this checkout as programs, with what they import of it. */
export async function bundle(sources, outdir) {
  const { build: esbuild } = await import('esbuild');
  await esbuild({
    absWorkingDir: root,
    entryPoints: sources,
    outdir,
    outbase: root,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'error',
    plugins: [addresses],
  });
}
