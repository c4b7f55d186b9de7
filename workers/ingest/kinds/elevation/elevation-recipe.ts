import { boxSql, boxToE7 } from '../../../../shared/geo/box.ts';
import { sql } from '../../../../shared/platform/statements.ts';
import { readTileHeader, type TileHeader } from '../../../../shared/raster/tiff-header.ts';
import type { Recipe } from '../../engine/recipe.ts';
import { compareFiles } from '../../layers/layer-editions.ts';
import { stageTiles, tilesOf } from '../../layers/stage-tiles.ts';
import { checkElevation } from './check-elevation.ts';
import type { ElevationFeed } from './elevation-feed.ts';

/** Only headers are stored. Heights are read by window when attributes are computed. */
export const elevationRecipe: Recipe<ElevationFeed, TileHeader[]> = {
  tables: [sql('land/create_tile_stage')],
  stage: (run, { elevation: input }) => {
    const files = tilesOf(run, 'elevation', input.tiles, source =>
      readTileHeader(source, input, { signal: run.signal }),
    );
    return stageTiles(run, 'elevation', files, 'land/stage_tiles', elevationRow);
  },
  compare: (db, run, feed, tiles) =>
    compareFiles(db, run, feed, tiles, {
      words: 'tiles',
      tables: { staged: 'stage_tile', stored: 'elevation_tiles' },
      // At most some thousands: all are written anew.
      async merge(tx) {
        await tx.run('land/delete_tiles', { feed_id: run.feedId });
        await tx.run('land/insert_tiles');
      },
    }),
  async check({ limit, result }, feed) {
    result.tiles = await checkElevation(feed, limit, result.problems, result.warnings);
  },
};

function elevationRow(tile: TileHeader): object {
  const { source, fingerprint, width, height, crs, nodata } = tile;
  const [origin_x, origin_y, step_x, step_y] = [tile.originX, tile.originY, tile.stepX, tile.stepY];
  const place = { width, height, origin_x, origin_y, step_x, step_y, extent: boxSql(boxToE7(tile.extent)) };
  return { source, fingerprint, ...place, crs, unit_m: tile.unitM, nodata };
}
