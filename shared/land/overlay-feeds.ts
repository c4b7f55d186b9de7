import { type BoxColumns, boxesIntersect, boxOfColumns } from '../geo/box.ts';
import type { Box } from '../geo/geometry-types.ts';
import { joinOverlays, type Overlay } from '../model/overlays.ts';
import type { Db } from '../platform/db.ts';
import { countyExtent } from '../regions/county-polygons.ts';

/** A feed that fills overlays, and where. */
export type OverlayFeed = {
  feed: string;
  run_id: number;
  merged_at: Date;
  /** The county that it covers completely, in addition to its box. */
  fips: number | null;
  overlays: Overlay[];
  /** In degrees. */
  coverage: Box;
};

/** The feeds that fill overlays, the newest version last. @param fips a county, or null for all */
export async function listOverlayFeeds(db: Db, fips: number | null = null): Promise<OverlayFeed[]> {
  const rows = await db.run<Omit<OverlayFeed, 'coverage'> & BoxColumns>('land/list_overlays');
  const county = fips === null ? null : countyExtent(fips);
  return rows
    .map(({ feed, run_id, merged_at, fips, overlays, ...box }) => {
      const coverage = boxOfColumns(box).map(side => side / 1e7) as Box;
      return { feed, run_id, merged_at, fips, overlays, coverage };
    })
    .filter(feed => fips === null || feed.fips === fips || (county && boxesIntersect(feed.coverage, county)));
}

/** The overlays of all feeds. @param fips a county, or null for all */
export const listOverlays = async (db: Db, fips: number | null = null): Promise<Overlay[]> =>
  joinOverlays((await listOverlayFeeds(db, fips)).flatMap(({ overlays }) => overlays));
