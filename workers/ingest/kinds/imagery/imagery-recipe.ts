import { boxSql, boxToE7 } from '../../../../shared/geo/box.ts';
import { sql } from '../../../../shared/platform/statements.ts';
import { type ImageryHeader, readImageryHeader } from '../../../../shared/raster/imagery-file.ts';
import type { Recipe } from '../../engine/recipe.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { compareFiles } from '../../layers/layer-editions.ts';
import { type NamedTile, stageTiles, type TileOutcome, tilesOf } from '../../layers/stage-tiles.ts';
import { checkImagery } from './check-imagery.ts';
import type { ImageryFeed } from './imagery-feed.ts';
import { describeServer, type ImagerySource } from './imagery-server.ts';

/** Only place, resolution and day are stored. Pixels are read by window when a picture is made. */
export const imageryRecipe: Recipe<ImageryFeed, ImagerySource[]> = {
  tables: [sql('imagery/create_imagery_stage')],
  stage: (run, feed) => {
    const files = sourcesOf(run, feed);
    return stageTiles(run, 'imagery', files, 'imagery/stage_imagery', ({ extent, ...source }) => ({
      ...source,
      extent: boxSql(boxToE7(extent)),
    }));
  },
  compare: (db, run, feed, sources) =>
    compareFiles(db, run, feed, sources, {
      words: 'sources',
      tables: { staged: 'stage_imagery', stored: 'imagery_sources' },
      merge: async tx => void (await tx.run('imagery/replace_imagery', { feed_id: run.feedId })),
    }),
  async check({ limit, result }, feed) {
    result.imagery = await checkImagery(feed, limit, result.problems, result.warnings);
  },
};

function sourcesOf(
  run: RunContext,
  feed: ImageryFeed,
): AsyncIterable<[NamedTile, TileOutcome<ImagerySource>]> {
  const { imagery: input } = feed;
  if (input.type !== 'cog') return oneServer(run, feed);
  return tilesOf(run, 'imagery', input.tiles, async source =>
    fileSource(await readImageryHeader(source, input, { signal: run.signal }), input.captured),
  );
}

function fileSource(header: ImageryHeader, captured: string | null): ImagerySource {
  const {
    source,
    fingerprint,
    extent,
    pixelM,
    bands: _bands,
    bits: _bits,
    overviews: _overviews,
    ...details
  } = header;
  return { source, type: 'cog', fingerprint, extent, pixel_m: pixelM, captured, details };
}

async function* oneServer(
  run: RunContext,
  feed: ImageryFeed,
): AsyncGenerator<[NamedTile, TileOutcome<ImagerySource>]> {
  const tile = await describeServer(feed, run.signal);
  run.inputs.push({ input: 'imagery', source: [tile.source], bytes: 0 });
  yield [{ rowNo: 1, source: tile.source }, { tile }];
}
