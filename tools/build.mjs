// Builds what runs from the sources: the programs, and the files that pages load in the browser.
//   node tools/build.mjs      builds when the sources have changed since the last build
// Each state of the sources has its own folder in dist/, so that a running process keeps the files it was
// started from.
import { createHash, randomUUID } from 'node:crypto';
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
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

const PROGRAMS = [
  'cli/main.ts',
  'api/main.ts',
  'api/shapes/shape-thread.ts',
  'workers/main.ts',
  'workers/formats/reader-child.ts',
];

/** Folders and files that a build is made from. Packages change with the lockfile. */
const SOURCES = ['api', 'cli', 'shared', 'workers', 'tools/build.mjs', 'tsconfig.json', 'package-lock.json'];
const IS_SOURCE = /\.(tsx?|mjs|css|svg|webp|json)$/;

/** A build is deleted this long after its last start, because a running process loads some files late. */
const KEEP_MS = 7 * 86_400_000;

/** Builds unless the sources are unchanged. Sets PLAT_BUILD, which programs use to find each other. */
export async function build() {
  const folder = join(dist, sourcesDigest());
  const isBuilt = existsSync(folder);
  if (isBuilt) markUsed(folder);
  process.env.PLAT_BUILD = isBuilt ? folder : await buildInto(folder);
  return process.env.PLAT_BUILD;
}

/** Builds in a temporary folder and renames it, so that a folder with this name is always complete. */
async function buildInto(folder) {
  // Import esbuild first, because that shows whether packages are missing.
  await import('esbuild');
  const unfinished = makeFolder();
  if (unfinished === undefined) return buildForThisProcess();
  try {
    await writeBuild(unfinished);
    renameSync(unfinished, folder);
    prune();
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process may have finished the same build first.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** undefined if the checkout isn't writable. */
function makeFolder() {
  const folder = join(dist, `new-${randomUUID()}`);
  try {
    mkdirSync(folder, { recursive: true });
    return folder;
  } catch {
    return undefined;
  }
}

async function buildForThisProcess() {
  const folder = mkdtempSync(join(tmpdir(), 'plat-build-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // Node looks for packages in the folders above the module that imports them.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  await writeBuild(folder);
  return folder;
}

async function writeBuild(folder) {
  // Run these one by one. If one fails, the folder is deleted, so nothing may still be writing to it.
  await bundlePrograms(PROGRAMS, folder);
  await writeAssets(folder);
}

function prune() {
  for (const name of readdirSync(dist)) {
    const old = join(dist, name);
    const { mtimeMs } = statSync(old, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (mtimeMs < Date.now() - KEEP_MS) rmSync(old, { recursive: true, force: true });
  }
}

function markUsed(folder) {
  try {
    utimesSync(folder, new Date(), new Date());
  } catch {
    // If the folder isn't writable, nothing is pruned either.
  }
}

/** Depends on each source's name, size, and time, and on the checkout's path, which builds contain. */
function sourcesDigest() {
  const digest = createHash('sha256').update(root);
  for (const source of SOURCES) {
    for (const path of filesOf(source)) {
      const stat = statSync(join(root, path), { throwIfNoEntry: false });
      digest.update(`\n${path} ${stat?.mtimeMs} ${stat?.size}`);
    }
  }
  return digest.digest('hex').slice(0, 24);
}

/** The file itself, or the sources in a folder, in order. */
function filesOf(source) {
  if (extname(source) !== '') return [source];
  const names = readdirSync(join(root, source), { recursive: true }).filter(name => IS_SOURCE.test(name));
  return names.sort().map(name => join(source, name));
}

const LOADERS = { '.ts': 'ts', '.tsx': 'tsx', '.mjs': 'js' };

/** Keeps each source's own URL, which the source uses to find the files next to it. */
const addresses = {
  name: 'addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.(tsx?|mjs)$/ }, async ({ path }) => ({
      loader: LOADERS[extname(path)],
      contents: (await readFile(path, 'utf8'))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
    }));
  },
};

/** Bundles sources of this checkout as programs, including the files that they import from it. */
export async function bundlePrograms(sources, outdir) {
  const esbuild = await import('esbuild');
  await esbuild.build({
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

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

const packageFile = path => join(root, 'node_modules', path);

/**
 * Writes the files that pages load. From api/pages: the images, the style sheets that no other sheet imports,
 * and modules named `-client`. Also the font and maplibre-gl, which is a separate file because most visitors
 * have it cached. Paths contain a hash of the content, so browsers can cache the files forever. assets.json
 * lists the paths by name.
 */
async function writeAssets(folder) {
  const pages = filesOf('api/pages').map(path => join(root, path));
  const assets = {};
  mkdirSync(join(folder, 'assets'));
  const add = (name, body) => {
    if (assets[name] !== undefined) throw new Error(`Two page files are named ${name}. Rename one of them.`);
    const type = extname(name);
    const hash = createHash('sha256').update(body).digest('hex').slice(0, 12);
    const path = `/assets/${basename(name, type)}-${hash}${type}`;
    writeFileSync(join(folder, path), body);
    assets[name] = { path, type: TYPES[type] };
    return path;
  };
  const addFile = file => add(basename(file), readFileSync(file));

  for (const image of pages.filter(file => /\.(svg|webp)$/.test(file))) addFile(image);
  const font = add(
    'inter.woff2',
    readFileSync(packageFile('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')),
  );
  for (const { path, text } of await bundleAssets(topSheets(pages), { external: ['inter.woff2'] }))
    add(basename(path), text.replace('inter.woff2', font));

  const maplibre = packageFile('maplibre-gl/dist');
  addFile(join(maplibre, 'maplibre-gl.css'));
  const map = addFile(join(maplibre, 'maplibre-gl.mjs'));
  const worker = addFile(join(maplibre, 'maplibre-gl-worker.mjs'));
  const clients = pages.filter(file => file.endsWith('-client.ts'));
  const options = {
    minify: true,
    format: 'esm',
    target: 'es2022',
    external: ['/assets/*'],
    alias: { 'maplibre-gl': map },
    define: { MAP_WORKER: JSON.stringify(worker) },
  };
  for (const { path, text } of await bundleAssets(clients, options))
    add(basename(path).replace('-client.js', '.mjs'), text);
  writeFileSync(join(folder, 'assets.json'), JSON.stringify(assets));
}

function topSheets(pages) {
  const sheets = pages.filter(file => file.endsWith('.css'));
  const imported = sheets.flatMap(file =>
    [...readFileSync(file, 'utf8').matchAll(/@import ["']([^"']+)["']/g)].map(([, path]) =>
      join(dirname(file), path),
    ),
  );
  return sheets.filter(file => !imported.includes(file));
}

async function bundleAssets(entryPoints, options) {
  const esbuild = await import('esbuild');
  const { outputFiles } = await esbuild.build({
    entryPoints,
    outdir: dist,
    bundle: true,
    write: false,
    logLevel: 'error',
    ...options,
  });
  return outputFiles;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await build();
