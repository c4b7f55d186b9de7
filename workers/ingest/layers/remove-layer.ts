import { isLayer, type LandKind } from '../../../shared/model/feed-kinds.ts';
import { isMeasured } from '../../../shared/model/land-layers.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { LOCKS, withLock } from '../../../shared/platform/locks.ts';
import { enqueue } from '../../../shared/platform/queue/jobs.ts';
import { planLandAttributesJob } from '../../land/plan-land-attributes-job.ts';
import { lastAcceptedRun } from '../engine/run-record.ts';
import { currentVersion } from './layer-version.ts';
import { markCovered } from './merge-layer.ts';

export type RemovedLayer = {
  kind: LandKind;
  features: number;
  tiles: number;
  parcels: number;
  /** The job that recomputes the parcels, or null if there are none. */
  job: string | null;
};

/**
 * Removes a land layer in one transaction, after a running run of its feed has ended. Its runs stay as
 * history. The next run of the feed is judged as a first one.
 * @throws PlatError `feed_unknown` (404) when there is nothing under the name, `feed_kind` when the feed is
 * not a land layer
 */
export async function removeLayer(db: Db, name: string, signal: AbortSignal): Promise<RemovedLayer> {
  const { id, kind } = await findLayer(db, name);
  return withLock(db, [LOCKS.feed, id], signal, () =>
    db.transaction(async tx => {
      await tx.run('feeds/lock_feed', { feed_id: id });
      // First, as in a merge.
      await tx.run('land/lock_layers');
      const version = await currentVersion(tx, id, await lastAcceptedRun(tx, id));
      if (version === null) throw nothingThere(name);
      const count = (name: string) => tx.rowCount(name, { feed_id: id });
      await count('land/delete_layer');
      const features = await count('land/delete_features');
      const tiles = (await count('land/delete_tiles')) + (await count('imagery/delete_imagery'));
      const parcels = isMeasured(kind) ? await markCovered(tx, kind, null, version) : 0;
      const job =
        parcels > 0 ? (await enqueue(tx, planLandAttributesJob, { scope: { dirty: true } })).id : null;
      return { kind, features, tiles, parcels, job };
    }),
  );
}

async function findLayer(db: Db, name: string): Promise<{ id: number; kind: LandKind }> {
  const rows = await db.run<{ id: number; kind: string }>('feeds/find_feed', { name });
  const [feed] = rows;
  if (feed === undefined) throw nothingThere(name);
  const { id, kind } = feed;
  if (isLayer(kind)) return { id, kind };
  throw new PlatError(
    'feed_kind',
    kind === 'listings'
      ? `${name} is a feed of listings, not a land layer. To take listings off the market, run it with a snapshot that no longer lists them.`
      : `${name} is a feed of parcels, not a land layer. To retire parcels, run it with a roll that no longer lists them.`,
  );
}

function nothingThere(name: string): PlatError {
  return new PlatError(
    'feed_unknown',
    `There is no layer of a feed named ${name}. \`plat runs\` lists all runs.`,
  );
}
