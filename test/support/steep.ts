import proj4 from 'proj4';
import type { Box } from '../../shared/geo/geometry-types.ts';
import { geographicKeys, projectedKeys, type TiffOptions, writeTiff } from './geotiff.ts';

/**
 * A made-up range of hills with a known elevation at every point, and grids of it. The projection is UTM zone
 * 19 north on NAD83.
 */
export const UTM_19N = 26919;
const utm = proj4('WGS84', `+proj=utm +zone=19 +datum=NAD83 +units=m +no_defs`);

/** Southwest corner and side in UTM meters. */
export const STEEP = { x: 515_000, y: 4_960_000, sizeM: 6_000 };

/** Meters above sea level: hills from 400 m to 2 km across, with slopes from flat to about 60%. */
export function heightM(x: number, y: number): number {
  const e = x - STEEP.x;
  const n = y - STEEP.y;
  return (
    400 +
    120 * Math.sin(e / 310 + 0.4) * Math.cos(n / 270) +
    30 * Math.sin((e - 2 * n) / 240) +
    5 * Math.cos((2 * e + n) / 140)
  );
}

/** Writes the hills as a UTM grid of square cells. */
export function writeProjected(path: string, cellM: number, options: Partial<TiffOptions> = {}): void {
  const cells = Math.round(STEEP.sizeM / cellM);
  const top = STEEP.y + STEEP.sizeM;
  writeTiff(path, {
    width: cells,
    height: cells,
    at: (column, row) => heightM(STEEP.x + (column + 0.5) * cellM, top - (row + 0.5) * cellM),
    grid: { originX: STEEP.x, originY: top, stepX: cellM, stepY: -cellM },
    keys: projectedKeys(UTM_19N),
    ...options,
  });
}

/** Writes the hills as a geographic grid with a step of `step` degrees. */
export function writeGeographic(path: string, step: number, options: Partial<TiffOptions> = {}): void {
  const [west, south, east, north] = steepExtent();
  writeTiff(path, {
    width: Math.floor((east - west) / step),
    height: Math.floor((north - south) / step),
    at: (column, row) => {
      const [x, y] = utm.forward([west + (column + 0.5) * step, north - (row + 0.5) * step]);
      return heightM(x!, y!);
    },
    grid: { originX: west, originY: north, stepX: step, stepY: -step },
    keys: geographicKeys(4269),
    ...options,
  });
}

/** The largest box in degrees within the UTM square. */
export function steepExtent(): Box {
  const { x, y, sizeM } = STEEP;
  const corner = (east: number, north: number) => utm.inverse([x + east * sizeM, y + north * sizeM]);
  const [sw, se, nw, ne] = [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)];
  return [
    Math.max(sw[0]!, nw[0]!),
    Math.max(sw[1]!, se[1]!),
    Math.min(se[0]!, ne[0]!),
    Math.min(nw[1]!, ne[1]!),
  ];
}

export function toUtm(lon: number, lat: number): [number, number] {
  const [x, y] = utm.forward([lon, lat]);
  return [x!, y!];
}

export function fromUtm(x: number, y: number): [number, number] {
  const [lon, lat] = utm.inverse([x, y]);
  return [lon!, lat!];
}

/**
 * Writes a 1 km plane that starts at 100 m and rises toward the east by `percent`, on a 10 m UTM grid at the
 * hills' corner.
 */
export function writePlane(path: string, percent: number, options: Partial<TiffOptions> = {}): void {
  writeTiff(path, {
    width: 100,
    height: 100,
    at: column => 100 + ((column + 0.5) * 10 * percent) / 100,
    grid: { originX: STEEP.x, originY: STEEP.y + 1000, stepX: 10, stepY: -10 },
    keys: projectedKeys(UTM_19N),
    ...options,
  });
}
