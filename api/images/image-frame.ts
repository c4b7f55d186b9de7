import { emptyBox, growBox } from '../../shared/geo/box.ts';
import type { Box, MultiPolygon, Position } from '../../shared/geo/geometry-types.ts';
import { latitudeOf, toMercator, WORLD_M } from '../../shared/geo/web-mercator.ts';
import { PlatError } from '../../shared/platform/errors.ts';

export const WIDTH = 1024;
export const HEIGHT = 768;

/** Margin around the boundary's bounding box, on each side. */
const MARGIN = 0.15;
/** Small lots are shown with their surroundings. */
const MIN_ACROSS_M = 120;

/**
 * Drawing limits. A line of 100,000 pixels covers half of the picture and takes librsvg 0.2 s. A line of 25
 * million pixels takes a minute.
 */
const MAX_VERTICES = 50_000;
const MAX_PARTS = 1_000;
const MAX_LINE_PX = 100_000;

export type Frame = {
  /**
   * Upper left corner, in Web Mercator meters. It is past the edge of the world if the frame crosses the
   * antimeridian.
   */
  left: number;
  top: number;
  /** Web Mercator meters per pixel, and meters on the ground per pixel. */
  step: number;
  pixelM: number;
  toPx(position: Position): [x: number, y: number];
  toPlace(x: number, y: number): Position;
  /** The bounds of the boundary in pixels: left, top, right, bottom. */
  parcelPx: Box;
  /** The frame and the boundary's box, in degrees. Each is two boxes if it crosses the antimeridian. */
  boxes: Box[];
  parcelBoxes: Box[];
};

export type Shown = Pick<Frame, 'left' | 'top' | 'step' | 'toPlace'>;

/** The area of a tile that is `px` pixels wide: https://wiki.openstreetmap.org/wiki/Slippy_map_tilenames */
export function shownOfTile(z: number, x: number, y: number, px: number): Shown & { box: Box } {
  const across = WORLD_M / 2 ** z;
  const [left, top, step] = [x * across - WORLD_M / 2, WORLD_M / 2 - y * across, across / px];
  const toPlace = (column: number, row: number): Position => [
    ((left + column * step) / WORLD_M) * 360,
    latitudeOf(top - row * step),
  ];
  return { left, top, step, toPlace, box: [...toPlace(0, px), ...toPlace(px, 0)] as Box };
}

/**
 * The parcel's bounding box with a margin.
 * @throws PlatError `unprocessable` if the boundary is too complex to draw
 */
export function frameOf(shape: MultiPolygon): Frame {
  requireDrawable(shape);
  const mercator = emptyBox();
  const box = emptyBox();
  const isAcross = crossesAntimeridian(shape);
  const eastward = (lon: number) => (isAcross && lon < 0 ? lon + 360 : lon);
  for (const [shell] of shape) {
    for (const [lon, lat] of shell!) {
      const [x, y] = toMercator([eastward(lon), lat]);
      growBox(mercator, [x, y, x, y]);
      growBox(box, [eastward(lon), lat, eastward(lon), lat]);
    }
  }
  const [west, south, east, north] = mercator;
  const scale = Math.cos((((box[1] + box[3]) / 2) * Math.PI) / 180);
  const step = Math.max(
    ((east - west) * (1 + 2 * MARGIN)) / WIDTH,
    ((north - south) * (1 + 2 * MARGIN)) / HEIGHT,
    MIN_ACROSS_M / scale / WIDTH,
  );
  const left = (west + east - step * WIDTH) / 2;
  const top = (south + north + step * HEIGHT) / 2;
  const toPlace = (x: number, y: number): Position => {
    const lon = ((left + x * step) / WORLD_M) * 360;
    return [lon > 180 ? lon - 360 : lon < -180 ? lon + 360 : lon, latitudeOf(top - y * step)];
  };
  const degrees = (x: number) => (x / WORLD_M) * 360;
  const toPx = ([lon, lat]: Position): [number, number] => {
    const [x, y] = toMercator([eastward(lon), lat]);
    return [(x - left) / step, (top - y) / step];
  };
  requireShort(shape, toPx);
  return {
    left,
    top,
    step,
    toPx,
    toPlace,
    pixelM: step * scale,
    parcelPx: [(west - left) / step, (top - north) / step, (east - left) / step, (top - south) / step],
    boxes: onGlobe([
      degrees(left),
      latitudeOf(top - HEIGHT * step),
      degrees(left + WIDTH * step),
      latitudeOf(top),
    ]),
    parcelBoxes: onGlobe(box),
  };
}

function requireDrawable(shape: MultiPolygon): void {
  const vertices = shape.reduce((sum, rings) => sum + rings.reduce((n, ring) => n + ring.length - 1, 0), 0);
  if (vertices <= MAX_VERTICES && shape.length <= MAX_PARTS) return;
  const count = (number: number) => number.toLocaleString('en-US');
  throw tooComplex(
    `it has ${count(vertices)} vertices in ${count(shape.length)} parts. The limit is ${count(MAX_VERTICES)} vertices in ${count(MAX_PARTS)} parts`,
  );
}

function requireShort(shape: MultiPolygon, toPx: Frame['toPx']): void {
  let length = 0;
  for (const ring of shape.flat()) {
    let [x, y] = toPx(ring[0]!);
    for (const place of ring) {
      const [nextX, nextY] = toPx(place);
      length += Math.hypot(nextX - x, nextY - y);
      [x, y] = [nextX, nextY];
    }
  }
  if (length > MAX_LINE_PX) throw tooComplex('its outline would cover the picture');
}

function tooComplex(why: string): PlatError {
  return new PlatError('unprocessable', `The boundary is too complex to draw: ${why}.`);
}

/** Whether a boundary is on both sides of the antimeridian, given that no parcel spans half the world. */
function crossesAntimeridian(shape: MultiPolygon): boolean {
  let [west, east] = [180, -180];
  for (const [shell] of shape) {
    for (const [lon] of shell!) {
      west = Math.min(west, lon);
      east = Math.max(east, lon);
    }
  }
  return east - west > 180;
}

/** Splits a box that crosses the antimeridian into the boxes on either side. */
function onGlobe([west, south, east, north]: Box): Box[] {
  if (east > 180)
    return [
      [west, south, 180, north],
      [-180, south, east - 360, north],
    ];
  if (west < -180)
    return [
      [west + 360, south, 180, north],
      [-180, south, east, north],
    ];
  return [[west, south, east, north]];
}
