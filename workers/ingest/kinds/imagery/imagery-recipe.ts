import { hash } from 'node:crypto';
import { z } from 'zod';
import { boxSql, boxToE7 } from '../../../../shared/geo/box.ts';
import type { Box } from '../../../../shared/geo/geometry-types.ts';
import { WORLD_M } from '../../../../shared/geo/web-mercator.ts';
import { LIMITS, sourceError } from '../../../../shared/platform/http/download-context.ts';
import { boundedBody, fetchWithRetry } from '../../../../shared/platform/http/http.ts';
import { secretHeaders } from '../../../../shared/platform/http/secret-headers.ts';
import { sql } from '../../../../shared/platform/statements.ts';
import { extentOf, type GeoTransform } from '../../../../shared/raster/affine.ts';
import {
  type ImageryHeader,
  pixelMeters,
  placeImage,
  readImageryHeader,
} from '../../../../shared/raster/imagery-file.ts';
import { countyExtent } from '../../../../shared/regions/county-polygons.ts';
import { addProblem } from '../../engine/check-part.ts';
import { checkContext, type DryRun, type ImageryCheck } from '../../engine/dry-run.ts';
import type { Recipe } from '../../engine/recipe.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { checkFiles, tileProblems } from '../../layers/check-files.ts';
import { compareFiles } from '../../layers/layer-editions.ts';
import { NO_COVERAGE } from '../../layers/layer-version.ts';
import { type NamedTile, stageTiles, type TileOutcome, tilesOf } from '../../layers/stage-tiles.ts';
import type { ImageryFeed, ImageryInput } from './imagery-feed.ts';

/** Only the extent, resolution, and date are stored. Pixels are read when a picture is drawn. */
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
  check: checkImagery,
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

/**
 * Size in pixels above which a file should have overviews. Without overviews, a picture of a large parcel
 * requires reading the entire file.
 */
const NEEDS_OVERVIEWS = 4096;

/** Adds the reasons why the feed cannot run to the problems. */
async function checkImagery({ limit, result }: DryRun, feed: ImageryFeed): Promise<void> {
  const { imagery, baseDir } = feed;
  const { problems, warnings } = result;
  const context = checkContext(baseDir);
  const sources: ImageryCheck['sources'] = [];
  try {
    if (imagery.type !== 'cog') {
      const { source, pixel_m: pixelM, extent } = await describeServer(feed, context.signal);
      sources.push({ source, pixelM, extent, file: null });
      result.imagery = { named: 1, read: 1, absent: 0, rejected: [], sources };
      return;
    }
    const read = (source: string) => readImageryHeader(source, imagery, context);
    const check = await checkFiles(imagery.tiles, context, limit, read, header => {
      const { source, pixelM, extent, ...file } = header;
      sources.push({ source, pixelM, extent, file });
      if (file.overviews === 0 && Math.max(file.width, file.height) > NEEDS_OVERVIEWS)
        warnings.push(
          `imagery: ${source} has no overviews, which pictures of large parcels need. Add them with gdaladdo -r average.`,
        );
    });
    if (sources.length === 0) problems.push('imagery: none of the files can be read.');
    problems.push(...tileProblems(sources, feed));
    result.imagery = { ...check, sources };
  } catch (error) {
    addProblem(problems, 'imagery', error);
  }
}

/** A row of imagery_sources. */
export type ImagerySource = {
  source: string;
  type: ImageryInput['type'];
  fingerprint: string;
  extent: Box;
  /** Width of a pixel in meters on the ground, at the center. */
  pixel_m: number;
  captured: string | null;
  details: object;
};

/** Pixel size recorded for a relief, which has no pixels, so that it ranks after all imagery. */
const RELIEF_M = 1e6;

/** @throws PlatError `feed_source` if an ImageServer does not respond, `feed_format` if it has no extent */
async function describeServer(feed: ImageryFeed, signal: AbortSignal): Promise<ImagerySource> {
  const { imagery: input } = feed;
  const { type, captured } = input;
  const declared: Box = [
    ...(feed.coverage ?? (feed.fips === null ? null : countyExtent(feed.fips)) ?? NO_COVERAGE),
  ];
  const sourceOf = (source: string, extent: Box, pixel_m: number, details: object): ImagerySource => {
    const fingerprint = hash('sha256', JSON.stringify([type, extent, details])).slice(0, 32);
    return { source, type, fingerprint, extent, pixel_m, captured, details };
  };
  if (input.type === 'xyz') {
    const { template, maxZoom: max_zoom, tileSize: tile_size, headers } = input;
    const middle = Math.cos((((declared[1] + declared[3]) / 2) * Math.PI) / 180);
    const pixelM = (WORLD_M / 2 ** max_zoom / tile_size) * middle;
    return sourceOf(template, declared, pixelM, { max_zoom, tile_size, headers });
  }
  if (input.type === 'arcgis_image') {
    const { address, headers } = input;
    const { extent, pixelM } = await askServer(address, headers, signal);
    return sourceOf(address, feed.coverage ?? extent, pixelM, { headers });
  }
  return sourceOf(`relief of ${feed.name}`, declared, RELIEF_M, {});
}

/** https://developers.arcgis.com/rest/services-reference/enterprise/image-service/ */
const serverSchema = z.object({
  extent: z.object({
    xmin: z.number(),
    ymin: z.number(),
    xmax: z.number(),
    ymax: z.number(),
    spatialReference: z.object({
      latestWkid: z.int().optional(),
      wkid: z.int().optional(),
      wkt: z.string().optional(),
    }),
  }),
  pixelSizeX: z.number().positive(),
  pixelSizeY: z.number().positive(),
});

async function askServer(
  address: string,
  names: Record<string, string>,
  signal: AbortSignal,
): Promise<{ extent: Box; pixelM: number }> {
  const url = new URL(address);
  url.searchParams.set('f', 'json');
  const answer = await fetchWithRetry<unknown>(
    url,
    {
      headers: { accept: 'application/json', ...secretHeaders(names) },
      timeoutMs: LIMITS.downloadIdleMs,
      async read(response) {
        if (!response.ok) return undefined;
        const body = await boundedBody(response, LIMITS.pageBytes);
        if (body !== null) return JSON.parse(body.toString('utf8'));
        throw sourceError(`${address} sent more than ${LIMITS.pageBytes} bytes. Check the feed's source.`);
      },
    },
    { signal },
  );
  const server = serverSchema.safeParse(answer);
  if (!server.success) {
    throw sourceError(
      `${address} isn't an ArcGIS ImageServer (no extent and pixelSizeX). Check the feed's source.`,
    );
  }
  const { extent: box, pixelSizeX, pixelSizeY } = server.data;
  const { latestWkid, wkid, wkt } = box.spatialReference;
  const crs = wkt ?? `EPSG:${latestWkid ?? wkid}`;
  const transform: GeoTransform = [box.xmin, pixelSizeX, 0, box.ymax, 0, -pixelSizeY];
  const width = (box.xmax - box.xmin) / pixelSizeX;
  const height = (box.ymax - box.ymin) / pixelSizeY;
  const place = placeImage({ transform, crs }, address);
  return {
    extent: extentOf({ width, height, crs }, place.inverse, address),
    pixelM: pixelMeters(place, width / 2, height / 2),
  };
}
