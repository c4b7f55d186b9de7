import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { type RequestHandler, Router } from 'express';
import type { Config } from '../../../shared/platform/config.ts';
import { encodingFor } from '../../http/compression.ts';
import { exchangeOf } from '../../http/exchange.ts';
import { type HeaderList, setHeaders } from '../../http/headers.ts';

export type Asset = { path: string; type: string; body: Buffer };

/** What pages load. Every address holds the hash of its content, so that browsers may keep it for good. */
export type Assets = { path(name: string): string; list: Asset[]; router: Router };

const pagesDir = join(dirname(fileURLToPath(import.meta.url)), '..');
const YEAR_SECONDS = 31_536_000;

/** The style sheets that pages load; the first two are of every page, and the second imports further files. */
const STYLES = [
  'frame/tokens.css',
  'frame/style.css',
  'frame/cards.css',
  'comping/comping.css',
  'deals/deals.css',
  'docs/docs.css',
  'lists/lists.css',
  'parts/map.css',
  'market/market.css',
  'map/parcel.css',
  'parts/results.css',
];

const PICTURES = ['home/home-light.webp', 'home/home-dark.webp'];

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** Bundles style sheets and browser code; maplibre-gl stays a file of its own, as most visits have it already. */
export async function openAssets(config: Config): Promise<Assets> {
  const security = pageHeaders(config);
  const maplibre = dirname(fileURLToPath(import.meta.resolve('maplibre-gl')));
  const assets = new Map<string, Asset>();
  const add = (name: string, type: string, body: Buffer) => {
    const [, stem, end] = /^(.*)\.(\w+)$/.exec(name)!;
    const digest = hash('sha256', body, 'hex').slice(0, 12);
    assets.set(name, { path: `/assets/${stem}-${digest}.${end}`, type, body });
  };
  const addFile = (file: string, type: string) => add(basename(file), type, readFileSync(file));
  addFile(join(pagesDir, 'frame/icon.svg'), 'image/svg+xml');
  const inter = import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2');
  add('inter.woff2', 'font/woff2', readFileSync(fileURLToPath(inter)));
  for (const file of STYLES) {
    const sheet = await bundle(file, { external: ['inter.woff2'] });
    add(basename(file), STYLE, Buffer.from(sheet.replace('inter.woff2', assets.get('inter.woff2')!.path)));
  }
  for (const file of PICTURES) addFile(join(pagesDir, file), 'image/webp');
  addFile(join(maplibre, 'maplibre-gl.css'), STYLE);
  for (const name of ['maplibre-gl.mjs', 'maplibre-gl-worker.mjs']) addFile(join(maplibre, name), SCRIPT);
  for (const file of browserModules()) {
    const script = await bundle(file, {
      minify: true,
      format: 'esm',
      target: 'es2022',
      external: ['/assets/*'],
      alias: { 'maplibre-gl': assets.get('maplibre-gl.mjs')!.path },
      define: { MAP_WORKER: JSON.stringify(assets.get('maplibre-gl-worker.mjs')!.path) },
    });
    add(basename(file).replace('-client.ts', '.mjs'), SCRIPT, Buffer.from(script));
  }
  const router = Router({ caseSensitive: true });
  const list = [...assets.values()];
  for (const asset of list) router.get(asset.path, sendAsset(asset, security));
  return { path: name => assets.get(name)!.path, list, router };
}

/** `<family>/client/<name>-client.ts`, which pages load as `<name>.mjs`. */
const browserModules = (): string[] =>
  readdirSync(pagesDir, { recursive: true, encoding: 'utf8' })
    .map(file => file.replaceAll(sep, '/'))
    .filter(file => /^\w+\/client\/[\w-]+-client\.ts$/.test(file))
    .sort();

async function bundle(file: string, options: BuildOptions): Promise<string> {
  const entryPoints = [join(pagesDir, file)];
  const { outputFiles } = await build({ ...options, entryPoints, bundle: true, write: false });
  return outputFiles[0]!.text;
}

/** maplibre-gl is 1.1 MB plain, 290 kB like this; level 11 would take ten times as long for 4 % less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

export function sendAsset({ type, body }: Asset, security: HeaderList, how = BROTLI): RequestHandler {
  let small: Promise<Buffer> | undefined;
  return async (req, res) => {
    exchangeOf(res).route = '/assets';
    const isBrotli = encodingFor(req) === 'br';
    if (isBrotli) small ??= promisify(brotliCompress)(body, how);
    const bytes = isBrotli ? await small! : body;
    // Also for the map's worker, which obeys the policy that its script came with.
    setHeaders(res, security);
    res.setHeader('Content-Type', type);
    res.setHeader('Cache-Control', `public, max-age=${YEAR_SECONDS}, immutable`);
    res.setHeader('Vary', 'Accept-Encoding');
    if (isBrotli) res.setHeader('Content-Encoding', 'br');
    res.setHeader('Content-Length', bytes.length);
    res.writeHead(200);
    res.end(req.method === 'HEAD' ? undefined : bytes);
  };
}

/**
 * No script, style, image or connection but our own, nothing inline, no frame around it; a basemap's
 * host for its images.
 */
export function pageHeaders({ BASEMAP_URL }: Pick<Config, 'BASEMAP_URL'>): HeaderList {
  const basemap = BASEMAP_URL === undefined ? '' : ` ${new URL(BASEMAP_URL).origin}`;
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob:${basemap}`,
    `connect-src 'self'${basemap}`,
    "worker-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return [
    'Content-Security-Policy',
    policy.join('; '),
    'X-Frame-Options',
    'DENY',
    'X-Content-Type-Options',
    'nosniff',
    // Addresses hold one-time links and the ids of parcels.
    'Referrer-Policy',
    'same-origin',
    'Cross-Origin-Opener-Policy',
    'same-origin',
    'Cross-Origin-Resource-Policy',
    'same-origin',
  ];
}
