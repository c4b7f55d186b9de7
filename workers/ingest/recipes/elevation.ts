import { sql } from '../../../shared/db.ts';
import { readTileHeader, type TileHeader } from '../../../shared/raster/header.ts';
import type { ElevationFeed } from '../../feeds/feed.ts';
import { withStages } from '../run/stage-schema.ts';
import { elevationRow, stageTiles, tilesOf } from '../stage/tiles.ts';
import type { Recipe } from './recipe.ts';
import { compareFiles } from './version.ts';

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
  compare: (client, run, feed, tiles) =>
    compareFiles(client, run, feed, tiles, {
      words: 'tiles',
      tables: { staged: 'stage_tile', stored: 'elevation_tiles' },
      // At most some thousands: all are written anew.
      async merge(transaction) {
        await transaction.query(sql('layers/delete_tiles'), [run.feedId]);
        await transaction.query(sql('layers/insert_tiles'));
      },
    }),
};
