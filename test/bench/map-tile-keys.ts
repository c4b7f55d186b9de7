import { startApi } from '../../api/start-api.ts';
import { insertSession } from '../../shared/accounts/account-statements.ts';
import { createAccount, createKey } from '../../shared/accounts/accounts.ts';
import { newToken } from '../../shared/accounts/sign-in.ts';
import { MAP_SCOPE } from '../../shared/accounts/tiers.ts';
import { findUser } from '../../shared/accounts/users.ts';
import { loadConfig } from '../../shared/platform/config.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { countyAt } from '../../shared/regions/county-polygons.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, median, timed, withBenchDatabase } from './bench.ts';
import { seedCounties } from './filter-county.ts';
import { tilesAround } from './postgis-tiles.ts';

const PARCELS = 200_000;
const WEST = -936_000_000;
const EMAIL = 'bench@plat.example';

/** Compares tiles by map key, which are counted and charged, with the map's tiles of the same places. */
export async function compareKeys(options: BenchOptions): Promise<BenchResult[]> {
  return withBenchDatabase(options, async (url, pool) => {
    const parcels = options.quick ? 2_000 : PARCELS;
    const half = 0.155 * Math.sqrt(parcels / PARCELS);
    const middle = [WEST / 1e7 + half, 41.5 + half] as const;
    await seedCounties(pool, [{ fips: countyAt(...middle)!, parcels, west: WEST }]);
    const { cookie, key } = await createReaders(pool);
    const config = loadConfig({ DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'warn' });
    const api = await startApi(config, createLogger(config, 'bench'));
    const times = { session: [] as number[], key: [] as number[] };
    const bytes = { session: 0, key: 0 };
    const read = async (side: 'session' | 'key', path: string, headers: Record<string, string>) => {
      const response = await fetch(api.url + path, { headers });
      const { byteLength } = await response.arrayBuffer();
      if (!response.ok) throw new Error(`${path} is ${response.status}`);
      bytes[side] = byteLength;
    };
    try {
      for (let round = 0; round <= (options.quick ? 2 : 60); round++)
        for (const { z, x, y } of tilesAround(middle)) {
          const session = await timed(() =>
            read('session', `/tiles/parcels/${z}/${x}/${y}.mvt`, { Cookie: cookie }),
          );
          const path = `/ogc/collections/parcels/tiles/WebMercatorQuad/${z}/${y}/${x}?token=${key}`;
          const byKey = await timed(() => read('key', path, {}));
          // The first round makes the tiles.
          if (round === 0) continue;
          times.session.push(session);
          times.key.push(byKey);
        }
    } finally {
      await api.stop();
    }
    return [
      judged(
        {
          name: 'map-tiles: a tile by key',
          reference: 'a tile of the same place by session, both from the cache',
          value: median(times.key) / median(times.session),
          unit: 'x',
          details: {
            tiles: times.key.length,
            'ms by key': median(times.key).toFixed(1),
            'ms by session': median(times.session).toFixed(1),
            'bytes by key': bytes.key,
            'bytes by session': bytes.session,
          },
        },
        { most: 1.1 },
      ),
    ];
  });
}

/** A session and a map key of the same account, without limits that matter. */
async function createReaders(pool: TestDb): Promise<{ cookie: string; key: string }> {
  const account = await createAccount(pool, {
    name: 'bench',
    tier: 'scale',
    tokensIncluded: 1e15,
    ratePerMinute: 1e6,
    rateBurst: 1e6,
    user: EMAIL,
  });
  const { key } = await createKey(pool, account.id, { name: 'map', scopes: [MAP_SCOPE] });
  const { token, tokenHash } = newToken();
  await insertSession(pool, { tokenHash, userId: (await findUser(pool, EMAIL)).id, browser: 'bench' });
  return { cookie: `plat_session=${token}`, key };
}
