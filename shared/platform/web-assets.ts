import type { Db } from './db.ts';

export type StoredAsset = { path: string; type: string; body: Buffer };

/** Records that these assets are in use. @returns the paths that are already stored */
export async function refreshAssets(db: Db, paths: readonly string[]): Promise<Set<string>> {
  const rows = await db.run<{ path: string }>('platform/refresh_assets', { paths });
  return new Set(rows.map(({ path }) => path));
}

export async function storeAsset(db: Db, { path, type, body }: StoredAsset): Promise<void> {
  await db.run('platform/store_asset', { path, type, body });
}

export async function readAsset(db: Db, path: string): Promise<StoredAsset | undefined> {
  return (await db.run<StoredAsset>('platform/read_asset', { path }))[0];
}
