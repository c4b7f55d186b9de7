import { randomUUID } from 'node:crypto';
import type { LoadedFeed } from '../../../../shared/feeds/file-feeds.ts';
import { PARCEL_FIELD_NAMES } from '../../../../shared/model/parcel-fields.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import type { AnyFeed } from '../../../feeds/feed.ts';
import type { SourceRow } from '../../../formats/row-batch.ts';
import type { AssessorFeed } from './assessor-feed.ts';
import { compileParcelMapper } from './map-parcel.ts';
import { stageOverlap } from './other-feeds.ts';
import { rollParts } from './roll-sql.ts';
import { stageGeometry } from './stage-boundary.ts';

/**
 * Finds other feeds that have already loaded parcels that are in a feed's first rows, using the same rules as
 * a run.
 */
export type FindLoaded = (feed: AnyFeed, rows: readonly SourceRow[]) => Promise<LoadedFeed[]>;

export async function findLoadedFeeds(
  db: Db,
  feed: AnyFeed,
  rows: readonly SourceRow[],
): Promise<LoadedFeed[]> {
  if (!isAssessor(feed) || feed.overlap !== 'block') return [];
  const parcels = parcelsOf(feed, rows);
  const fips = [...new Set(parcels.map(parcel => parcel.fips))];
  if (fips.length === 0) return [];
  const schema = `stage_check_${randomUUID().replaceAll('-', '')}`;
  return db.transaction(async tx => {
    await tx.execute(`create schema ${schema}; set local search_path = ${schema}, public`);
    await tx.run('feeds/create_parcel_stage', {}, rollParts());
    await tx.run('feeds/stage_sample', {
      fips: parcels.map(parcel => parcel.fips),
      keys: parcels.map(({ key }) => key),
      apns: parcels.map(({ apn }) => apn),
      cities: parcels.map(({ city }) => city),
      locations: parcels.map(({ location }) => location),
    });
    const [own] = await tx.run<{ id: number }>('feeds/find_feed', { name: feed.name });
    const { feeds } = await stageOverlap(tx, own?.id ?? 0, fips, { overlap: 'block', force: false });
    await tx.execute(`drop schema ${schema} cascade`);
    return feeds;
  });
}

const isAssessor = (feed: AnyFeed): feed is AssessorFeed => feed.kind === 'assessor';

const APN = PARCEL_FIELD_NAMES.indexOf('apn');
const CITY = PARCEL_FIELD_NAMES.indexOf('situs_city');

type Sampled = {
  fips: number;
  key: string;
  apn: string | null;
  city: string | null;
  location: string | null;
};

function parcelsOf({ roll, fips }: AssessorFeed, rows: readonly SourceRow[]): Sampled[] {
  const map = compileParcelMapper(roll, { fips });
  map.prepare(rows);
  return rows.flatMap(row => {
    const mapped = map(row);
    if (!mapped.ok) return [];
    const shape = row.geometry && stageGeometry(row.geometry);
    return [
      {
        fips: mapped.fips,
        key: mapped.key,
        apn: mapped.values[APN] as string | null,
        city: mapped.values[CITY] as string | null,
        location: shape?.ok ? shape.staged.location : null,
      },
    ];
  });
}
