import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeArrayBuffer } from 'geotiff';
import { describe, expect, test } from 'vitest';
import { readTileHeader } from '../../../shared/raster/tiff-header.ts';
import { signal } from '../../support/elevation.ts';
import { testFolder } from '../../support/folder.ts';
import { geographicKeys, projectedKeys, type TiffOptions, writeTiff } from '../../support/geotiff.ts';

const folder = testFolder();
const GRID = { originX: 500_000, originY: 4_900_000, stepX: 10, stepY: -10 };
let files = 0;

function write(options: Partial<TiffOptions> = {}): string {
  const path = join(folder, `${++files}.tif`);
  writeTiff(path, {
    width: 40,
    height: 30,
    at: () => 1,
    grid: GRID,
    keys: projectedKeys(26919),
    ...options,
  });
  return path;
}

const header = (path: string, declared = {}) => readTileHeader(path, declared, { signal });

describe("a grid's header", () => {
  test('size, location, CRS, extent, and fingerprint', async () => {
    const path = write({ nodata: '-9999' });
    const tile = await header(path);
    expect(tile).toMatchObject({
      source: path,
      width: 40,
      height: 30,
      ...GRID,
      crs: 'EPSG:26919',
      unitM: 1,
      nodata: -9999,
    });
    // 500,000 m east is the zone's meridian.
    expect(tile.extent[0]).toBeCloseTo(-69, 9);
    expect(tile.extent[2]).toBeGreaterThan(-68.996);
    expect(tile.extent[3] - tile.extent[1]).toBeCloseTo(300 / 111_120, 5);
    expect(tile.fingerprint).toBe((await header(path)).fingerprint);
  });

  test('a geographic grid in NAD83', async () => {
    const grid = { originX: -69, originY: 45, stepX: 0.01, stepY: -0.01 };
    const tile = await header(write({ grid, keys: geographicKeys(4269) }));
    expect(tile.crs).toBe('EPSG:4269');
    expect(tile.extent.map(degree => Math.round(degree * 1e6) / 1e6)).toEqual([-69, 44.7, -68.6, 45]);
  });

  test('PixelIsPoint refers to the middle of the first cell', async () => {
    const tile = await header(write({ keys: { ...projectedKeys(26919), 1025: 2 } }));
    expect([tile.originX, tile.originY]).toEqual([499_995, 4_900_005]);
  });

  test('a matrix instead of scale and tie point', async () => {
    const matrix = [10, 0, 0, 500_000, 0, -10, 0, 4_900_000, 0, 0, 0, 0, 0, 0, 0, 1];
    expect(await header(write({ grid: undefined as never, matrix }))).toMatchObject(GRID);
  });

  test("the feed's settings take precedence", async () => {
    const path = write({ nodata: '-9999', keys: { ...projectedKeys(26919), 4099: 9001 } });
    expect(await header(path, { crs: 'EPSG:26918', unit: 'feet', nodata: 0 })).toMatchObject({
      crs: 'EPSG:26918',
      unitM: 0.3048,
      nodata: 0,
    });
  });

  test.each([
    ['VerticalUnitsGeoKey in feet', { 4099: 9002 }, undefined, 0.3048],
    ['VerticalUnitsGeoKey in survey feet', { 4099: 9003 }, undefined, 1200 / 3937],
    ['NAVD88 height (ftUS)', { 4096: 6360 }, undefined, 1200 / 3937],
    ['NAVD88 height', { 4096: 5703 }, undefined, 1],
    ['MSL height (ft)', { 4096: 8050 }, undefined, 0.3048],
    ['MSL height (ftUS)', { 4096: 8052 }, undefined, 1200 / 3937],
    ['NGVD29 height (m)', { 4096: 7968 }, undefined, 1],
    ["GeoTIFF 1.0's ellipsoid of WGS 84", { 4096: 5030 }, undefined, 1],
    ['an unknown vertical CRS with VerticalUnitsGeoKey', { 4096: 5103, 4099: 9003 }, undefined, 1200 / 3937],
    ["an unknown vertical CRS with GDAL's unit of the band", { 4096: 5103 }, 'ft', 0.3048],
    ["GDAL's unit of the band", {}, 'ft', 0.3048],
    ['nothing said', {}, undefined, 1],
  ])('the unit of heights: %s', async (_, keys, unit, meters) => {
    const gdalMetadata = unit && metadata('UNITTYPE', unit);
    const path = write({ keys: { ...projectedKeys(26919), ...keys }, ...(gdalMetadata && { gdalMetadata }) });
    expect((await header(path)).unitM).toBe(meters);
  });

  test('whether anything states the unit of elevation', async () => {
    const stated = async (options: Partial<TiffOptions>, declared = {}) =>
      (await header(write(options), declared)).unitStated;
    expect(await stated({})).toBe(false);
    expect(await stated({}, { unit: 'metres' })).toBe(true);
    expect(await stated({ keys: { ...projectedKeys(26919), 4096: 5103 } }, { unit: 'feet' })).toBe(true);
    expect(await stated({ keys: { ...projectedKeys(26919), 4096: 5703 } })).toBe(true);
    expect(await stated({ gdalMetadata: metadata('UNITTYPE', 'm') })).toBe(true);
  });

  test.each([
    ['-32768', -32768],
    ['-3.4028234663852886e+38 ', -3.4028234663852886e38],
    ['nan', null],
  ])('nodata %s', async (nodata, value) => {
    expect((await header(write({ nodata }))).nodata).toBe(value);
  });

  test('big-endian files, and those written by geotiff.js', async () => {
    expect(await header(write({ bigEndian: true, nodata: '-1' }))).toMatchObject({ ...GRID, nodata: -1 });
    const path = join(folder, 'written.tif');
    const tiff = writeArrayBuffer(new Float32Array(600).fill(7), {
      width: 30,
      height: 20,
      ModelPixelScale: [10, 10, 0],
      ModelTiepoint: [0, 0, 0, 500_000, 4_900_000, 0],
      GTModelTypeGeoKey: 1,
      GTRasterTypeGeoKey: 1,
      ProjectedCSTypeGeoKey: 26919,
    });
    writeFileSync(path, new Uint8Array(tiff));
    expect(await header(path)).toMatchObject({ width: 30, height: 20, ...GRID, crs: 'EPSG:26919' });
  });

  test('overviews are not mistaken for the grid', async () => {
    expect(await header(write({ overview: true }))).toMatchObject({ width: 40, height: 30 });
  });
});

describe('an unusable file is refused, with what to do', () => {
  const meter = { originX: 500_000, originY: 4_900_000, stepX: 10, stepY: -10 };
  test.each<[string, Partial<TiffOptions>, RegExp]>([
    ['a CRS of its own', { keys: projectedKeys(32767) }, /custom CRS .* Set crs/],
    ['no CRS', { keys: {} }, /has no CRS\. Set crs/],
    ['an unknown CRS', { keys: projectedKeys(2031) }, /"EPSG:2031" is unknown/],
    ['NAD27', { keys: projectedKeys(26719) }, /EPSG:26719/],
    [
      'a rotated grid',
      { grid: undefined as never, matrix: [7, 7, 0, 0, 7, -7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] },
      /is rotated.*gdalwarp/,
    ],
    ['no place', { grid: undefined as never }, /has no location/],
    ['several bands', { bands: 3 }, /3 bands.*gdal_translate -b 1/],
    ['a compression that is not read', { compression: 7 }, /compression method 7/],
    ['a scale', { gdalMetadata: metadata('SCALE', '0.1') }, /scale of 0\.1.*-unscale/],
    ['an unknown unit', { gdalMetadata: metadata('UNITTYPE', 'fathom') }, /"fathom".*vertical_unit/],
    [
      'an unknown vertical CRS',
      { keys: { ...projectedKeys(26919), 4096: 5103 } },
      /EPSG:5103, which Plat doesn't know.*vertical_unit/,
    ],
    [
      'a vertical CRS of its own',
      { keys: { ...projectedKeys(26919), 4096: 32767 } },
      /vertical CRS of its own.*vertical_unit/,
    ],
    ['a place outside the world', { grid: meter, keys: geographicKeys(4326) }, /outside the world/],
    ['one strip of over 64 MiB', { width: 4096, height: 4097, sample: 'float32' }, /takes 65 MiB.*-of COG/],
  ])('%s', async (_, options, message) => {
    const path = write(options);
    await expect(header(path)).rejects.toMatchObject({
      name: 'PlatError',
      message: expect.stringMatching(message),
    });
    await expect(header(path)).rejects.toThrow(path);
  });

  test.each([
    ['tiles', { tile: 16 }],
    ['strips', { stripRows: 4 }],
  ])('one whose last %s lie beyond its end, and one that leaves blocks out', async (_, layout) => {
    const cut = write({ ...layout, deflate: true });
    const { length } = readFileSync(cut);
    truncateSync(cut, length - 1);
    await expect(header(cut)).rejects.toMatchObject({
      code: 'feed_format',
      message: expect.stringMatching(
        new RegExp(
          `${cut} .*\\b${length - 1} bytes .*\\b${length}\\b.*\\b1 of .*\\b${'tile' in layout ? 6 : 8} blocks`,
        ),
      ),
    });
    await expect(header(write({ ...layout, absent: index => index === 2 }))).resolves.toMatchObject(GRID);
  });

  test('another kind of file, a truncated one, a missing one', async () => {
    const text = join(folder, 'grid.txt');
    writeFileSync(text, 'ncols 10\nnrows 10\n');
    await expect(header(text)).rejects.toMatchObject({
      code: 'feed_format',
      message: expect.stringMatching(/GeoTIFF.*gdal_translate/),
    });
    const cut = write();
    truncateSync(cut, 100);
    await expect(header(cut)).rejects.toMatchObject({ code: 'feed_format' });
    expect(readFileSync(cut)).toHaveLength(100);
    await expect(header(join(folder, 'none.tif'))).rejects.toMatchObject({
      code: 'feed_source',
      message: expect.stringMatching(/none\.tif /),
    });
    await expect(header(folder)).rejects.toMatchObject({ code: 'feed_source' });
  });
});

function metadata(name: string, value: string): string {
  return `<GDALMetadata>\n  <Item name="${name}" sample="0" role="${name.toLowerCase()}">${value}</Item>\n</GDALMetadata>`;
}
