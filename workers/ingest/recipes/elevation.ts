import { type Client, sql } from '../../../shared/db.ts';
import { boxAround } from '../../../shared/geo/box.ts';
import { readTileHeader, type TileHeader } from '../../../shared/raster/header.ts';
import type { ElevationFeed } from '../../feeds/feed.ts';
import { homeBoxes, tilesDeclared, tilesOutside } from '../gate/place.ts';
import type { RunContext } from '../run/context.ts';
import { NOWHERE } from '../run/layer-version.ts';
import { withStages } from '../run/stage-schema.ts';
import { elevationRow, stageTiles, tilesOf } from '../stage/tiles.ts';
import type { Prepared, Recipe } from './recipe.ts';
import { prepareVersion, recordVersion, type VersionFigures } from './version.ts';

/** Of each file only the header is read and kept: heights stay where they are and are read by window when attributes are computed. */
export const elevation: Recipe<ElevationFeed, TileHeader[]> = {
  tables: [sql('layers/create_tile_stage')],
  stage: (run, feed, sources) =>
    withStages(run, 1, ([client], rejects) =>
      stageTiles(
        'elevation',
        tilesOf(run, 'elevation', feed.elevation.tiles, feed.baseDir, sources.elevation, source =>
          readTileHeader(source, feed.elevation, { signal: run.signal }),
        ),
        { client: client!, run, rejects },
        sql('layers/stage_tiles'),
        elevationRow,
      ),
    ),
  compare,
};

async function compare(
  client: Client,
  run: RunContext,
  feed: ElevationFeed,
  tiles: TileHeader[],
): Promise<Prepared> {
  const { feedId, counts } = run;
  await run.step('match', 'comparing with what is there', 0.68);
  const { rows: measured } = await client.query<VersionFigures>(sql('layers/measure_tiles'), [feedId]);
  const extent = tiles.length === 0 ? null : boxAround(tiles.map(tile => tile.extent));
  return prepareVersion(run, client, feed, {
    words: 'tiles',
    rows: recordVersion(counts, measured[0]!),
    outside: tilesOutside(tiles, homeBoxes(feed.fips)),
    declared: tilesDeclared(tiles, feed.coverage),
    // A tile is as good beyond the county's line as within.
    version: {
      scope: { coverage: feed.coverage ?? extent ?? NOWHERE, fips: feed.fips, reachM: null },
      extent,
    },
    covered: version => version.extent,
    // Where no file has heights nothing is told, however large the box is.
    boxed: false,
    // At most some thousands: all are written anew.
    async merge(transaction) {
      await transaction.query(sql('layers/delete_tiles'), [feedId]);
      await transaction.query(sql('layers/insert_tiles'));
    },
  });
}
