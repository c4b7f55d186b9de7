import { type RequestHandler, Router } from 'express';
import { LRUCache } from 'lru-cache';
import type { Config } from '../../../shared/base/config.ts';
import { type Pool, statement } from '../../../shared/base/db.ts';
import type { Database } from '../../http/database.ts';
import { type Asset, type Assets, pageHeaders, sendAsset } from './assets.ts';

/** As `openAssets` builds them. */
const PATH = /^\/assets\/[\w-]+-[0-9a-f]{12}\.\w+$/;

/** About those of one release. */
const MAX_KEPT = 50;

/** Stores the assets of this release for processes of others, before any page asks for them. */
export async function storeAssets(pool: Pool, { list }: Pick<Assets, 'list'>): Promise<void> {
  const { rows } = await pool.query<{ path: string }>(
    statement('base/refresh_assets', { paths: list.map(({ path }) => path) }),
  );
  const stored = new Set(rows.map(({ path }) => path));
  for (const { path, type, body } of list)
    if (!stored.has(path)) await pool.query(statement('base/store_asset', { path, type, body }));
}

/**
 * Serves what pages of another release load. While two releases run, a balancer sends a page and its assets
 * to different processes.
 */
export function storedAssets(database: Database, config: Config): Router {
  const security = pageHeaders(config);
  const senders = new LRUCache<string, RequestHandler>({ max: MAX_KEPT });
  const router = Router({ caseSensitive: true });
  router.get('/assets/:name', async (req, res, next) => {
    if (!PATH.test(req.path)) return next();
    let send = senders.get(req.path);
    if (send === undefined) {
      const [asset] = await database.run<Asset>('base/read_asset', { path: req.path });
      if (asset === undefined) return next();
      send = sendAsset(asset, security);
      senders.set(req.path, send);
    }
    return send(req, res, next);
  });
  return router;
}
