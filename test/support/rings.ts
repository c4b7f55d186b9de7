import type { Position, Ring } from '../../shared/geo/geometry-types.ts';

/** Parses the coordinates of a WKT ring or line into positions. */
export const ring = (text: string): Ring =>
  text.split(',').map(position => position.trim().split(' ').map(Number) as Position);

export const box = (west: number, south: number, east: number, north: number): Ring =>
  ring(`${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}, ${west} ${south}`);

export const square = (x: number, y: number, size: number): Ring => [
  [x, y],
  [x + size, y],
  [x + size, y + size],
  [x, y + size],
  [x, y],
];
