import { constants } from 'node:zlib';
import { type RequestHandler, Router } from 'express';
import { LRUCache } from 'lru-cache';
import type { Config } from '../../../shared/platform/config.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { readAsset, refreshAssets, storeAsset } from '../../../shared/platform/web-assets.ts';
import { type Assets, pageHeaders, sendAsset } from './assets.ts';

/** Paths in the form that `tools/build.mjs` creates. */
const PATH = /^\/assets\/[\w-]+-[0-9a-f]{12}\.\w+$/;

/** Enough for about ten releases. */
const MAX_BYTES = 32e6;

/** Compresses in a tenth of the time spent on this release's own assets, which are compressed only once. */
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Stores this release's assets for processes of other releases, before any page requests them. */
export async function storeAssets(db: Db, { list }: Pick<Assets, 'list'>): Promise<void> {
  const stored = await refreshAssets(
    db,
    list.map(({ path }) => path),
  );
  for (const asset of list) if (!stored.has(asset.path)) await storeAsset(db, asset);
}

/**
 * Serves the assets of other releases. While two releases run, a load balancer can send a page and its assets
 * to different processes.
 */
export function storedAssets(db: Db, config: Config): Router {
  const security = pageHeaders(config);
  const kept = new LRUCache<string, { send: RequestHandler; bytes: number }>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
    // Concurrent requests share one read and one compression run.
    async fetchMethod(path) {
      const asset = await readAsset(db, path);
      return asset && { send: sendAsset(asset, security, FAST), bytes: asset.body.length };
    },
  });
  const router = Router({ caseSensitive: true });
  router.get('/assets/:name', async (req, res, next) => {
    const asset = PATH.test(req.path) ? await kept.fetch(req.path) : undefined;
    return asset === undefined ? next() : asset.send(req, res, next);
  });
  return router;
}
