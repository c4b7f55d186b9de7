import { boxOf, emptyBox, growBox } from '../../../shared/geo/box.ts';
import type { Box, MultiPolygon, Ring } from '../../../shared/geo/geometry-types.ts';
import type { Road } from '../../../shared/kernels/frontage/frontage.ts';
import { geographicKeys, writeTiff } from '../../support/geotiff.ts';
import { fabric, type Section, shapeOf, UNIT_M } from './fabric.ts';
import { countyRectangle } from './places.ts';
import { between, createRandom, pick, type Random, seedOf } from './random.ts';

/** What layers of a generated county hold. */
export type GeneratedLand = {
  roads: Road[];
  wetlands: MultiPolygon[];
  flood: MultiPolygon[];
  /** All parcels lie in it. */
  extent: Box;
};

/** Land for the parcels that `generateParcels` makes of the same options. */
export function generateLand(options: { parcels: number; seed: number; fips: number }): GeneratedLand {
  const { parcels, seed, fips } = options;
  const land: GeneratedLand = {
    roads: [],
    wetlands: [],
    flood: [],
    extent: emptyBox(),
  };
  for (const section of fabric({ count: parcels, seed, extent: countyRectangle(fips) })) {
    const random = createRandom(seedOf(seed, 20, section.number));
    land.roads.push(...section.roads);
    // A wetland for about 40 parcels, small as most of the inventory's; every few sections the flood zone of a creek.
    for (let i = 0; i < 3; i++)
      land.wetlands.push([[outline(random, section, between(random, 15, 150), 40)]]);
    if (random() < 0.2) land.flood.push([[outline(random, section, between(random, 200, 900), 300)]]);
    for (const { polygons } of section.parcels) growBox(land.extent, boxOf(shapeOf(polygons)));
  }
  return land;
}

/** A wavy ring around a corner of one of the section's parcels. */
function outline(random: Random, section: Section, radiusM: number, vertices: number): Ring {
  const [x, y] = pick(random, section.parcels).polygons[0]![0]! as [number, number];
  const scaleX = UNIT_M * Math.cos((y / 1e7) * (Math.PI / 180));
  const waves = between(random, 3, 9);
  const ring: Ring = [];
  for (let i = 0; i < vertices; i++) {
    const angle = (2 * Math.PI * i) / vertices;
    const distance = radiusM * (1 + 0.3 * Math.sin(waves * angle) + 0.05 * random());
    ring.push([
      Math.round(x + (distance * Math.cos(angle)) / scaleX) / 1e7,
      Math.round(y + (distance * Math.sin(angle)) / UNIT_M) / 1e7,
    ]);
  }
  ring.push([...ring[0]!]);
  return ring;
}

/** A third of an arc second, as the seamless grid of USGS 3DEP has. */
const CELL_DEG = 1 / 10_800;
const NAD83 = 4269;
/** Room for the cells around the outermost ones. */
const MARGIN_CELLS = 4;

/**
 * Writes heights for an extent in the layout of USGS 3DEP: geographic, tiles of 512 cells, packed.
 * @returns how many cells
 */
export function writeHeights(path: string, [west, south, east, north]: Box): number {
  const width = Math.ceil((east - west) / CELL_DEG) + 2 * MARGIN_CELLS;
  const height = Math.ceil((north - south) / CELL_DEG) + 2 * MARGIN_CELLS;
  writeTiff(path, {
    width,
    height,
    // Ridges of three sizes.
    at: (column, row) =>
      300 +
      150 * Math.sin(column / 90) * Math.cos(row / 70) +
      25 * Math.sin((column + row) / 13) +
      4 * Math.sin(column / 5 - row / 3),
    tile: 512,
    deflate: true,
    grid: {
      originX: west - MARGIN_CELLS * CELL_DEG,
      originY: north + MARGIN_CELLS * CELL_DEG,
      stepX: CELL_DEG,
      stepY: -CELL_DEG,
    },
    keys: geographicKeys(NAD83),
    nodata: '-9999',
  });
  return width * height;
}
