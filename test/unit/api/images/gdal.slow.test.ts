import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { paintFile } from '../../../../api/images/cog.ts';
import { type Frame, frameOf, HEIGHT, WIDTH } from '../../../../api/images/image-frame.ts';
import { outlineOf } from '../../../../api/images/outline.ts';
import type { Position } from '../../../../shared/geo/geometry-types.ts';
import { request } from '../../../../shared/platform/http/http.ts';
import { rootDir } from '../../../../shared/platform/root.ts';
import { openByteSource } from '../../../../shared/raster/byte-source.ts';
import { type ImageryFile, readImageryHeader } from '../../../../shared/raster/imagery-file.ts';
import { openLevels, readPixels } from '../../../../shared/raster/pixels.ts';
import type { Pixels } from '../../../../shared/raster/warp.ts';
import { testFolder } from '../../../support/folder.ts';
import { writeTiff } from '../../../support/geotiff.ts';
import { sendRange, serve } from '../../../support/http-server.ts';

const fixtures = join(rootDir, 'test/fixtures/imagery');
const naip = join(rootDir, 'workers/sample/data/naip_nd/m_4709963_se_14_1_20200831_part.tif');
type Ring = Position[];
const frames = JSON.parse(readFileSync(join(fixtures, 'frames.json'), 'utf8')) as {
  part: [number, number, number, number];
  outline: { shape: Ring[]; px: [number, number][][] };
} & Record<'lot' | 'turned' | 'township' | 'ranch' | 'field', Ring>;

const signal = new AbortController().signal;

const pathOf = (file: string) => resolve(fixtures, file);
const headerOf = (file: string, declared = {}) => readImageryHeader(pathOf(file), declared, { signal });

async function painted(header: ImageryFile, frame: Frame): Promise<Pixels> {
  const picture: Pixels = { width: WIDTH, height: HEIGHT, data: new Uint8Array(4 * WIDTH * HEIGHT) };
  await paintFile(header, frame, picture, { signal, request, freshUntil: Infinity });
  return picture;
}

/** Red, green and blue by turns, of the part of a picture that the fixtures keep. */
async function partOf({ data }: Pixels): Promise<Buffer> {
  const [left, top, width, height] = frames.part;
  const raw = { width: WIDTH, height: HEIGHT, channels: 4 as const };
  return sharp(data, { raw }).extract({ left, top, width, height }).removeAlpha().raw().toBuffer();
}

const gdal = (name: string): Promise<Buffer> =>
  sharp(join(fixtures, `${name}.png`))
    .removeAlpha()
    .raw()
    .toBuffer();

/** Mean structural similarity of the greens in windows of 8 x 8 (Wang et al. 2004). */
function similarity(a: Buffer, b: Buffer): number {
  const [, , width, height] = frames.part;
  const [c1, c2] = [(0.01 * 255) ** 2, (0.03 * 255) ** 2];
  let [sum, windows] = [0, 0];
  for (let top = 0; top + 8 <= height; top += 4) {
    for (let left = 0; left + 8 <= width; left += 4) {
      let [sa, sb, aa, bb, ab] = [0, 0, 0, 0, 0];
      for (let i = 0; i < 64; i++) {
        const at = 3 * ((top + (i >> 3)) * width + left + (i & 7)) + 1;
        const [x, y] = [a[at]!, b[at]!];
        sa += x;
        sb += y;
        aa += x * x;
        bb += y * y;
        ab += x * y;
      }
      const [ma, mb] = [sa / 64, sb / 64];
      const [va, vb, cov] = [aa / 64 - ma * ma, bb / 64 - mb * mb, ab / 64 - ma * mb];
      sum += ((2 * ma * mb + c1) * (2 * cov + c2)) / ((ma * ma + mb * mb + c1) * (va + vb + c2));
      windows++;
    }
  }
  return sum / windows;
}

describe('pictures of GeoTIFFs match those of gdalwarp', () => {
  test.each([
    ['overview', naip, frames.township, {}],
    ['full-resolution', naip, frames.field, {}],
    ['no-overview', 'infrared-as-alpha.tif', frames.ranch, {}],
    ['infrared-as-alpha', 'infrared-as-alpha.tif', frames.lot, {}],
    ['jpeg-ycbcr', 'jpeg-ycbcr.tif', frames.lot, {}],
    ['state-plane-feet', 'state-plane-feet.tif', frames.lot, {}],
    ['rotated', 'rotated.tif', frames.turned, {}],
    // Eight times the values of the photograph, in 16 bits.
    ['infrared-as-alpha', 'lzw-16bit.tif', frames.lot, { range: [0, 2040] }],
  ] as const)('%s', async (name, file, ring, declared) => {
    const ours = await partOf(await painted(await headerOf(file, declared), frameOf([[ring]])));
    expect(similarity(ours, await gdal(name))).toBeGreaterThan(0.98);
  });

  test('the measure detects a picture that is two pixels off', async () => {
    const theirs = await gdal('infrared-as-alpha');
    expect(similarity(theirs, Buffer.concat([theirs.subarray(6), theirs.subarray(0, 6)]))).toBeLessThan(0.98);
  });
});

/** Over http blocks are fetched and read one by one. */
test.each([
  ['deflate, an overview', naip, frames.township, 0.4],
  ['deflate, near infrared', 'infrared-as-alpha.tif', frames.lot, 1],
  ['JPEG', 'jpeg-ycbcr.tif', frames.lot, 1],
  ['JPEG of four bands', 'jpeg-4-bands.tif', frames.lot, 1],
  ['LZW, 16 bits', 'lzw-16bit.tif', frames.lot, 1],
  ['nodata at the rim, planes', 'state-plane-feet.tif', frames.lot, 1],
])('a file behind http makes the same picture as on disk: %s', async (_, file, ring, most) => {
  const source = pathOf(file);
  const bytes = readFileSync(source);
  let sent = 0;
  const server = await serve((request, response) => {
    const [first, last] = sendRange(request, response, bytes, { etag: '"1"' })!;
    sent += last - first + 1;
  });
  const frame = frameOf([[ring]]);
  const header = await readImageryHeader(`${server.origin}/photograph.tif`, {}, { signal });
  sent = 0;
  const far = await painted(header, frame);
  expect(sent).toBeLessThan(most * bytes.length + 40_000);
  const near = await painted(await headerOf(file), frame);
  expect(similarity(await partOf(far), await partOf(near))).toBeGreaterThan(0.999);
  await server.close();
});

test.each([false, true])(
  '16 bits with the high byte first are read as those with the low one, packed: %s',
  async deflate => {
    const read = async (bigEndian: boolean) => {
      const path = join(testFolder(), 'grid.tif');
      const at = (column: number, row: number, band: number) => 700 * column + 9 * row + 40 * band;
      writeTiff(path, {
        width: 40,
        height: 30,
        at,
        sample: 'uint16',
        bands: 3,
        tile: 16,
        deflate,
        bigEndian,
      });
      const [level] = await openLevels(openByteSource(path, { signal }));
      const window = { left: 0, top: 0, right: 40, bottom: 30 };
      const coloring = { range: [0, 30_000] as [number, number], nodata: null, alpha: false };
      return readPixels(level, window, 1, coloring, { name: path, signal });
    };
    const [high, low] = [await read(true), await read(false)];
    expect(Buffer.compare(high.data, low.data)).toBe(0);
    expect(new Set(low.data).size).toBeGreaterThan(100);
  },
);

test('the outline lies where GDAL projects the boundary', async () => {
  const { shape, px } = frames.outline;
  const frame = frameOf([shape]);
  for (const [i, ring] of shape.entries()) {
    for (const [k, place] of ring.entries()) {
      const [x, y] = frame.toPx(place);
      expect(Math.hypot(x - px[i]![k]![0], y - px[i]![k]![1])).toBeLessThan(0.01);
    }
  }
  const overlay = outlineOf([shape], frame);
  const { data, info } = await sharp(overlay).raw().toBuffer({ resolveWithObject: true });
  const isBlue = (x: number, y: number) => {
    const [red, , blue, alpha] = data.subarray(4 * (y * info.width + x));
    return alpha! > 128 && blue! - red! > 100;
  };
  // Every edge is blue along its middle, and no pixel is blue that is further off than the line is wide.
  const edges = px.flatMap(ring => ring.slice(1).map((to, i) => [ring[i]!, to] as const));
  for (const [[x0, y0], [x1, y1]] of edges)
    for (const t of [0.1, 0.3, 0.5, 0.7, 0.9])
      expect(isBlue(Math.floor(x0 + t * (x1 - x0)), Math.floor(y0 + t * (y1 - y0)))).toBe(true);
  const off = (x: number, y: number) =>
    Math.min(
      ...edges.map(([[x0, y0], [x1, y1]]) => {
        const length = (x1 - x0) ** 2 + (y1 - y0) ** 2;
        const t = Math.max(0, Math.min(1, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length));
        return Math.hypot(x - x0 - t * (x1 - x0), y - y0 - t * (y1 - y0));
      }),
    );
  let farthest = 0;
  for (let y = 0; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x++) if (isBlue(x, y)) farthest = Math.max(farthest, off(x + 0.5, y + 0.5));
  // Half of the line, and a pixel.
  expect(farthest).toBeLessThan(3);
});

describe('frames', () => {
  const box = (west: number, south: number, east: number, north: number): Ring => [
    ...([
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ] as Ring),
  ];

  test('a lot of 40 square meters is shown with 120 m around it, a county as a whole', () => {
    const lot = frameOf([[box(-99.0001, 47, -99, 47.00005)]]);
    expect(lot.pixelM * WIDTH).toBeCloseTo(120, 6);
    const county = frameOf([[box(-100, 46, -99, 48)]]);
    const [left, top, right, bottom] = county.parcelPx;
    expect(bottom - top).toBeCloseTo(HEIGHT / 1.3, 6);
    expect((left + right) / 2).toBeCloseTo(WIDTH / 2, 6);
    expect([top, HEIGHT - bottom].every(margin => margin > 0.14 * (bottom - top))).toBe(true);
  });

  test('across the antimeridian a parcel is one piece, and its frame two boxes', () => {
    const frame = frameOf([[box(179.99, 51.9, 180, 51.91)], [box(-180, 51.9, -179.995, 51.91)]]);
    const [left, , right] = frame.parcelPx;
    expect(right - left).toBeGreaterThan(300);
    expect(frame.boxes).toHaveLength(2);
    expect(frame.boxes[0]![2]).toBe(180);
    expect(frame.boxes[1]![0]).toBe(-180);
    const place: Position = [-179.997, 51.905];
    const [lon, lat] = frame.toPlace(...frame.toPx(place));
    expect([lon, lat].map(degrees => degrees.toFixed(6))).toEqual(['-179.997000', '51.905000']);
  });

  test('50,000 vertices are drawn; more, 1,001 parts, and a scribble across the picture are not', async () => {
    const ringOf = (vertices: number, radius: (i: number) => number, turn: number): Ring => {
      const ring = Array.from({ length: vertices }, (_, i): Position => {
        const angle = turn * i;
        return [-99 + radius(i) * Math.cos(angle), 47 + radius(i) * Math.sin(angle)];
      });
      return [...ring, ring[0]!];
    };
    const shore = (vertices: number) =>
      ringOf(vertices, i => 0.01 + 1e-5 * (i % 7), (2 * Math.PI) / vertices);
    const shape = [[shore(50_000)]];
    const { info } = await sharp(outlineOf(shape, frameOf(shape)))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width: WIDTH, height: HEIGHT, channels: 4 });
    expect(() => frameOf([[shore(50_001)]])).toThrow(/50,001 vertices/);
    expect(() => frameOf([[ringOf(5_000, () => 0.01, 2)]])).toThrow(/picture/);
    const parts = Array.from({ length: 1_001 }, (_, i) => [
      box(-99 + i * 1e-4, 47, -99 + i * 1e-4 + 5e-5, 47.001),
    ]);
    expect(() => frameOf(parts)).toThrow(/1,001 parts/);
    expect(frameOf(parts.slice(1)).step).toBeGreaterThan(0);
  });
});
