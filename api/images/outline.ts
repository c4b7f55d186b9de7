import { px } from '../../shared/drawing/drawing-lines.ts';
import { element } from '../../shared/drawing/xml.ts';
import type { MultiPolygon } from '../../shared/geo/geometry-types.ts';
import { type Pixels, pixelWords } from '../../shared/raster/warp.ts';
import { type Frame, HEIGHT, WIDTH } from './image-frame.ts';

const BLUE = '#1464ff';
const GROUND = Uint8Array.of(0xe9, 0xe9, 0xe4, 0xff);
const LINE_PX = 4;
const CASING_PX = 7;

/** Vertices closer than this to the last one would be invisible. */
const MIN_STEP_PX = 0.5;

/**
 * Vertices per path. If a line crosses itself, librsvg's time grows with the square of the line's length. The
 * next path starts where the last one ends, and round caps hide the gap.
 */
const PATH_VERTICES = 200;

/** A parcel's outline with all parts and holes, as an overlay for the picture. */
export function outlineOf(shape: MultiPolygon, frame: Frame): Buffer {
  const lines = shape.flat().flatMap(ring => pathsOf(ring.map(frame.toPx)));
  const style = { fill: 'none', 'stroke-linejoin': 'round', 'stroke-linecap': 'round' };
  const drawn = (stroke: string, width: number) =>
    element('g', { ...style, stroke, 'stroke-width': width }, ...lines.map(d => element('path', { d })));
  const size = { width: WIDTH, height: HEIGHT };
  return Buffer.from(
    element(
      'svg',
      { xmlns: 'http://www.w3.org/2000/svg', ...size },
      drawn('#ffffff', CASING_PX),
      drawn(BLUE, LINE_PX),
    ),
  );
}

/** Draws an outline over a picture, three times as fast as `composite`. Unpainted pixels become gray. */
export function overlay(picture: Pixels, outline: Uint8Array): void {
  const { data } = picture;
  const [words, lines] = [pixelWords(picture), pixelWords({ data: outline })];
  const [ground] = pixelWords({ data: GROUND });
  for (let at = 0; at < words.length; at++) {
    if (words[at] === 0) words[at] = ground!;
    if (lines[at] === 0) continue;
    const alpha = outline[4 * at + 3]!;
    for (let i = 4 * at; i < 4 * at + 3; i++) data[i] = data[i]! + ((outline[i]! - data[i]!) * alpha) / 255;
  }
}

function pathsOf(ring: [number, number][]): string[] {
  const thinned = ring.slice(0, 1);
  for (const point of ring.slice(1)) {
    const [x, y] = thinned.at(-1)!;
    if (Math.hypot(point[0] - x, point[1] - y) >= MIN_STEP_PX) thinned.push(point);
  }
  // Close the ring even if its last vertex was too close.
  thinned.push(ring[0]!);
  const paths: string[] = [];
  for (let at = 0; at < thinned.length - 1; at += PATH_VERTICES) {
    const part = thinned.slice(at, at + PATH_VERTICES + 1);
    paths.push(`M${part.map(([x, y]) => `${px(x)} ${px(y)}`).join('L')}`);
  }
  return paths;
}
