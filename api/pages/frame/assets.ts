import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { type RequestHandler, Router } from 'express';
import type { Config } from '../../../shared/platform/config.ts';
import { buildPath } from '../../../shared/platform/root.ts';
import { encodingFor } from '../../http/compression.ts';
import { exchangeOf } from '../../http/exchange.ts';
import { type HeaderList, setHeaders } from '../../http/headers.ts';

export type Asset = { path: string; type: string; body: Buffer };

/** The files that pages load. Paths contain a hash of the content, so browsers can cache them forever. */
export type Assets = { path(name: string): string; list: Asset[]; router: Router };

const YEAR_SECONDS = 31_536_000;

/** Reads the files that `tools/build.mjs` wrote. */
export function openAssets(config: Config): Assets {
  const security = pageHeaders(config);
  const built: Record<string, Omit<Asset, 'body'>> = JSON.parse(
    readFileSync(buildPath('assets.json'), 'utf8'),
  );
  const list = Object.values(built).map(asset => ({ ...asset, body: readFileSync(buildPath(asset.path)) }));
  const router = Router({ caseSensitive: true });
  for (const asset of list) router.get(asset.path, sendAsset(asset, security));
  return { path: name => built[name]!.path, list, router };
}

/** maplibre-gl shrinks from 1.1 MB to 290 kB. Level 11 would take ten times as long to save another 4%. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

export function sendAsset({ type, body }: Asset, security: HeaderList, how = BROTLI): RequestHandler {
  let small: Promise<Buffer> | undefined;
  return async (req, res) => {
    exchangeOf(res).route = '/assets';
    const isBrotli = encodingFor(req) === 'br';
    if (isBrotli) small ??= promisify(brotliCompress)(body, how);
    const bytes = isBrotli ? await small! : body;
    // Assets need these headers too, because the map's worker follows the policy of its script's response.
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

/** Allows only our own resources, plus the basemap's images. Blocks inline code and frames. */
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
    // URLs contain one-time links and parcel ids.
    'Referrer-Policy',
    'same-origin',
    'Cross-Origin-Opener-Policy',
    'same-origin',
    'Cross-Origin-Resource-Policy',
    'same-origin',
  ];
}
