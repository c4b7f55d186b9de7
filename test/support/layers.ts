import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Geometry } from 'geojson';
import type { Feed } from '../../workers/ingest/all-kinds.ts';
import { sampleDir } from '../../workers/ingest/feed-folders.ts';
import { loadFeed } from '../../workers/ingest/load-feeds.ts';
import { all, type Feature, feedOf, ORIGIN } from './ingest.ts';
import type { TestDb } from './test-db.ts';

export const sampleFeed = (name: string): Promise<Feed> => loadFeed(join(sampleDir, `${name}.yaml`));

/**
 * The n-th of a set of eastward roads that are 0.001 degrees apart, north of the lots that `lot` creates. It
 * is `length` degrees long.
 */
export function roadLine(n: number, length = 0.01): Geometry {
  const y = Math.round((ORIGIN[1] + 0.001 * n) * 1e7) / 1e7;
  const east = Math.round((ORIGIN[0] + length) * 1e7) / 1e7;
  return {
    type: 'LineString',
    coordinates: [
      [ORIGIN[0], y],
      [east, y],
    ],
  };
}

export const road = (n: number, mtfcc: string | null = 'S1400', length?: number): Feature => ({
  properties: { MTFCC: mtfcc },
  geometry: roadLine(n, length),
});

/** Writes features to the file that a `roadFeed` feed reads. */
export function writeRoads(folder: string, name: string, features: readonly Feature[]): void {
  const lines = features.map(({ properties, geometry }) =>
    JSON.stringify({ type: 'Feature', properties, geometry }),
  );
  writeFileSync(join(folder, `${name}.ndgeojson`), lines.join('\n'));
}

/** A road feed with TIGER's columns. */
export function roadFeed(folder: string, name: string, more: Record<string, unknown> = {}): Feed {
  const { layer, ...rest } = more as { layer?: Record<string, unknown> };
  return feedOf(folder, {
    name,
    kind: 'roads',
    layer: { source: `${name}.ndgeojson`, format: 'ndgeojson', ...layer },
    ...rest,
  });
}

export type StoredFeature = { hash: string; class: string; extent: string; geometry: Buffer };

/** The feed's features that are visible to readers. */
export function storedFeatures(pool: TestDb, feed: string): Promise<StoredFeature[]> {
  return all<StoredFeature>(
    pool,
    `select l.hash, l.class, l.extent::text, l.geometry from layer_features l
     join feeds f on f.id = l.feed_id where f.name = $1 order by l.hash`,
    [feed],
  );
}

/** Parcels marked for recomputation, with their layer bits. */
export async function marks(pool: TestDb): Promise<Map<number, number>> {
  const rows = await all<{ property_id: number; layers: number }>(
    pool,
    'select property_id, layers from attributes_dirty order by 1',
  );
  return new Map(rows.map(row => [Number(row.property_id), row.layers]));
}

/** Names of the jobs that a run enqueued. */
export async function followed(pool: TestDb, { follow }: { follow: string[] }): Promise<string[]> {
  const jobs = await all<{ name: string }>(pool, 'select name from jobs where id = any ($1)', [follow]);
  return jobs.map(job => job.name);
}
