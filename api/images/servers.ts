import sharp from 'sharp';
import { WORLD_M } from '../../shared/geo/web-mercator.ts';
import { redactUrl, sourceError } from '../../shared/platform/http/download-context.ts';
import { fetchWithRetry } from '../../shared/platform/http/http.ts';
import { secretHeaders } from '../../shared/platform/http/secret-headers.ts';
import { type Pixels, warp } from '../../shared/raster/warp.ts';
import { type ImageryFetch, SOURCE_LIMITS } from './fetch-imagery.ts';
import type { Shown } from './image-frame.ts';

/** Header fields and the environment variables that hold their values. */
type HeaderNames = Record<string, string>;

/** Web Mercator tiles: https://wiki.openstreetmap.org/wiki/Slippy_map_tilenames */
export type TileServer = { template: string; max_zoom: number; tile_size: number; headers: HeaderNames };

/** Paints from the tiles whose pixel size is closest to that of the picture. */
export async function paintTiles(
  { template, max_zoom, tile_size, headers }: TileServer,
  frame: Shown,
  picture: Pixels,
  reading: ImageryFetch,
): Promise<void> {
  const zoom = Math.max(0, Math.min(max_zoom, Math.round(Math.log2(WORLD_M / tile_size / frame.step))));
  const tilePx = WORLD_M / 2 ** zoom / tile_size;
  const columnOf = (x: number) => (frame.left + x * frame.step + WORLD_M / 2) / tilePx;
  const rowOf = (y: number) => (WORLD_M / 2 - frame.top + y * frame.step) / tilePx;
  const [left, right] = [columnOf(0), columnOf(picture.width)].map(column =>
    Math.floor(column / tile_size),
  ) as [number, number];
  const [top, bottom] = [rowOf(0), rowOf(picture.height)].map(row => Math.floor(row / tile_size)) as [
    number,
    number,
  ];
  const width = (right - left + 1) * tile_size;
  const mosaic: Pixels = {
    width,
    height: (bottom - top + 1) * tile_size,
    data: new Uint8Array(4 * width * (bottom - top + 1) * tile_size),
  };
  const place = async (x: number, y: number): Promise<void> => {
    const around = 2 ** zoom;
    if (y < 0 || y >= around) return;
    const address = template
      .replaceAll('{z}', String(zoom))
      // Columns wrap around the world.
      .replaceAll('{x}', String(((x % around) + around) % around))
      .replaceAll('{y}', String(y));
    const tile = await fetchPixels(
      new URL(address),
      headers,
      { width: tile_size, height: tile_size },
      reading,
    );
    if (tile === null) return;
    for (let row = 0; row < tile_size; row++) {
      const to = 4 * (((y - top) * tile_size + row) * width + (x - left) * tile_size);
      mosaic.data.set(tile.data.subarray(4 * row * tile_size, 4 * (row + 1) * tile_size), to);
    }
  };
  const tiles: Promise<void>[] = [];
  for (let y = top; y <= bottom; y++) for (let x = left; x <= right; x++) tiles.push(place(x, y));
  await Promise.all(tiles);
  await warp(
    mosaic,
    picture,
    (x, y) => [columnOf(x) - left * tile_size, rowOf(y) - top * tile_size],
    frame.step / tilePx,
  );
}

/** An ArcGIS ImageServer: https://developers.arcgis.com/rest/services-reference/enterprise/export-image/ */
export type ImageServer = { address: string; headers: HeaderNames };

/** Paints the frame from one request, or from two if it crosses the antimeridian. */
export async function paintExport(
  { address, headers }: ImageServer,
  frame: Shown,
  picture: Pixels,
  reading: ImageryFetch,
): Promise<void> {
  const half = WORLD_M / 2;
  const right = frame.left + picture.width * frame.step;
  const cut = right > half ? half : frame.left < -half ? -half : null;
  const seam = cut === null ? picture.width : Math.round((cut - frame.left) / frame.step);
  for (const [from, to] of [
    [0, seam],
    [seam, picture.width],
  ] as const) {
    if (from === to) continue;
    const west = frame.left + from * frame.step;
    const east = frame.left + to * frame.step;
    const turn = (west + east) / 2 > half ? -WORLD_M : (west + east) / 2 < -half ? WORLD_M : 0;
    const url = new URL(`${address.replace(/\/+$/, '')}/exportImage`);
    const bottom = frame.top - picture.height * frame.step;
    url.search = new URLSearchParams({
      bbox: [west + turn, bottom, east + turn, frame.top].join(','),
      bboxSR: '3857',
      imageSR: '3857',
      size: `${to - from},${picture.height}`,
      f: 'image',
      // JPEG, or PNG if part of it is empty.
      format: 'jpgpng',
      interpolation: 'RSP_BilinearInterpolation',
    }).toString();
    const part = await fetchPixels(url, headers, { width: to - from, height: picture.height }, reading);
    if (part !== null) await warp(part, picture, (x, y) => [x - from, y], 1);
  }
}

/** A decoded image from a server. null if it has none (204, 404). */
async function fetchPixels(
  url: URL,
  names: HeaderNames,
  { width, height }: { width: number; height: number },
  reading: ImageryFetch,
): Promise<Pixels | null> {
  const read = async (response: Response): Promise<Pixels | null | undefined> => {
    const { status } = response;
    if (status === 204 || status === 404) {
      await response.body?.cancel();
      return null;
    }
    if (!response.ok) return undefined;
    const type = response.headers.get('content-type') ?? 'no type';
    if (!/^image\//i.test(type))
      throw sourceError(
        `${redactUrl(url)} returned ${type.slice(0, 60)} instead of an image. Check the feed's source.`,
      );
    const { data, info } = await sharp(Buffer.from(await response.arrayBuffer()), {
      limitInputPixels: width * height,
    })
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    if (info.width !== width || info.height !== height) {
      throw sourceError(
        `${redactUrl(url)} returned ${info.width} x ${info.height} pixels instead of ${width} x ${height}. Check the feed's source.`,
      );
    }
    return { width, height, data };
  };
  const headers = { accept: 'image/*', ...secretHeaders(names) };
  return fetchWithRetry(
    url,
    { headers, send: reading.request, read },
    { signal: reading.signal, limits: SOURCE_LIMITS },
  );
}
