import { sql, statement } from '../../../../shared/platform/db.ts';
import { readTileHeader, type TileHeader } from '../../../../shared/raster/tiff-header.ts';
import type { ElevationFeed } from '../../../feeds/feed.ts';
import { elevationRow, stageTiles, tilesOf } from '../../layers/stage-tiles.ts';
import { compareFiles } from '../../layers/layer-editions.ts';
import type { Recipe } from '../../engine/recipe.ts';

/**
 * Of each file only the header is read and kept: heights stay where they are and are read by window when
 * attributes are computed.
 */
export const elevation: Recipe<ElevationFeed, TileHeader[]> = {
  tables: [sql('land/create_tile_stage')],
  stage: (run, { elevation: input }) => {
    const files = tilesOf(run, 'elevation', input.tiles, source =>
      readTileHeader(source, input, { signal: run.signal }),
    );
    return stageTiles(run, 'elevation', files, 'land/stage_tiles', elevationRow);
  },
  compare: (client, run, feed, tiles) =>
    compareFiles(client, run, feed, tiles, {
      words: 'tiles',
      tables: { staged: 'stage_tile', stored: 'elevation_tiles' },
      // At most some thousands: all are written anew.
      async merge(transaction) {
        await transaction.query(statement('land/delete_tiles', { feed_id: run.feedId }));
        await transaction.query(sql('land/insert_tiles'));
      },
    }),
};
