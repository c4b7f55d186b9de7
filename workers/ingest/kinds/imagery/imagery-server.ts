import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Box } from '../../../../shared/geo/geometry-types.ts';
import { WORLD_M } from '../../../../shared/geo/web-mercator.ts';
import { LIMITS, sourceError } from '../../../../shared/platform/http/download-context.ts';
import { boundedBody, fetchWithRetry } from '../../../../shared/platform/http/http.ts';
import { secretHeaders } from '../../../../shared/platform/http/secret-headers.ts';
import { extentOf, type GeoTransform } from '../../../../shared/raster/affine.ts';
import { pixelMeters, placeImage } from '../../../../shared/raster/imagery-file.ts';
import { countyExtent } from '../../../../shared/regions/county-polygons.ts';
import { NO_COVERAGE } from '../../layers/layer-version.ts';
import type { ImageryFeed, ImageryInput } from './imagery-feed.ts';

/** A row of imagery_sources. */
export type ImagerySource = {
  source: string;
  type: ImageryInput['type'];
  fingerprint: string;
  extent: Box;
  /** Meters on the ground that a pixel is wide in the middle. */
  pixel_m: number;
  captured: string | null;
  details: object;
};

/** A relief has no pixels; it ranks after all imagery. */
const RELIEF_M = 1e6;

/** @throws PlatError `feed_source` when an ImageServer does not answer, `feed_format` when it has no place */
export async function describeServer(feed: ImageryFeed, signal: AbortSignal): Promise<ImagerySource> {
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
      `${address} does not describe itself as an ArcGIS ImageServer does (extent, pixelSizeX). Check the feed's source.`,
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
