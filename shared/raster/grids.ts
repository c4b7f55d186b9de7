import { resolveCrs } from '../geo/projection.ts';
import { metersPerUnit } from '../kernels/terrain/ground.ts';
import { type PlacedGrid, placeGrid } from './raster-place.ts';
import type { ElevationTile } from './tiff-header.ts';

/** A tile and its offset in the grid, in whole cells. */
export type GridTile = { tile: ElevationTile; column: number; row: number };

/** Tiles with aligned cells, as one grid. Cells are counted from the first corner of the first tile. */
export type VirtualGrid = PlacedGrid & {
  id: number;
  originY: number;
  stepX: number;
  stepY: number;
  tiles: GridTile[];
  /** The range of cells with tiles: [left, right) x [top, bottom). */
  left: number;
  top: number;
  right: number;
  bottom: number;
};

/**
 * How far off the grid a tile may be, in cells. Published corners are rounded (3DEP's to a millionth of a
 * cell).
 */
const MAX_OFF = 0.01;

/**
 * Groups tiles by CRS, cell size, and alignment. The finest grid comes first. @throws PlatError `feed_crs` if
 * a CRS is unknown
 */
export function gridsOf(tiles: readonly ElevationTile[]): VirtualGrid[] {
  const grids: { first: ElevationTile; grid: VirtualGrid; cellSqM: number }[] = [];
  for (const tile of tiles) {
    const fitting = grids.map(({ first, grid }) => ({ grid, place: placeIn(first, tile) }));
    const fit = fitting.find(({ place }) => place !== null);
    if (fit?.place) {
      addTile(fit.grid, { tile, ...fit.place });
      continue;
    }
    const { groundAt, forward, inverse } = placeGrid(resolveCrs(tile.crs, tile.source), tile);
    const { originY, stepX, stepY } = tile;
    // List the properties one by one. A spread would create a new hidden class, and V8 would recompile the
    // hot loops.
    const grid: VirtualGrid = {
      groundAt,
      forward,
      inverse,
      id: grids.length,
      originY,
      stepX,
      stepY,
      tiles: [],
      left: 0,
      top: 0,
      right: 0,
      bottom: 0,
    };
    addTile(grid, { tile, column: 0, row: 0 });
    const ground = groundAt(tile.width / 2, tile.height / 2);
    const meters = metersPerUnit(ground, originY + (stepY * tile.height) / 2);
    grids.push({ first: tile, grid, cellSqM: Math.abs(stepX * meters.x * stepY * meters.y) });
  }
  return grids.sort((a, b) => a.cellSqM - b.cellSqM).map(({ grid }) => grid);
}

function addTile(grid: VirtualGrid, placed: GridTile): void {
  grid.tiles.push(placed);
  grid.left = Math.min(grid.left, placed.column);
  grid.top = Math.min(grid.top, placed.row);
  grid.right = Math.max(grid.right, placed.column + placed.tile.width);
  grid.bottom = Math.max(grid.bottom, placed.row + placed.tile.height);
}

function placeIn(first: ElevationTile, tile: ElevationTile): { column: number; row: number } | null {
  if (tile.crs !== first.crs) return null;
  const x = axis(first.originX, first.stepX, tile.originX, tile.stepX, tile.width);
  const y = axis(first.originY, first.stepY, tile.originY, tile.stepY, tile.height);
  return x === null || y === null ? null : { column: x, row: y };
}

/** The number of whole cells between two origins, or null if the cells aren't aligned. */
function axis(
  origin: number,
  step: number,
  otherOrigin: number,
  otherStep: number,
  count: number,
): number | null {
  const exact = (otherOrigin - origin) / step;
  const cells = Math.round(exact);
  const off = Math.abs(exact - cells) + Math.abs((otherStep / step - 1) * count);
  return off <= MAX_OFF ? cells : null;
}
