import type { MultiPolygon } from '../geo/geometry-types.ts';
import { M_PER_FT } from '../geo/units.ts';
import { count } from '../model/figures.ts';
import { sidesOf } from './boundary-sides.ts';
import { type Line, lengthPx, pointAlong, px } from './drawing-lines.ts';
import { TEXT_COLOR } from './drawing-style.ts';
import type { View } from './map-extent.ts';
import { element, textElement } from './xml.ts';

/** A label on a shorter side would cover its neighbors. */
const MIN_SIDE_PX = 46;
const MAX_SIDES = 40;

/**
 * The lengths of a boundary's sides, inside the parcel. The outside is free for frontage lengths.
 * @param labeled parts of the boundary whose length is shown anyway
 */
export function drawSideLengths(shape: MultiPolygon, view: View, labeled: readonly Line[] = []): string {
  const sides = shape
    .flat()
    .flatMap(ring => sidesOf(ring.slice(0, -1).map(view.toPx)))
    .filter(({ points, length }) => length >= MIN_SIDE_PX && !labeled.some(line => isSame(line, points)))
    .sort((a, b) => b.length - a.length)
    .slice(0, MAX_SIDES);
  const labels = sides.map(({ points, length }) => {
    const words = `${count((length * view.metersPerPx) / M_PER_FT)} ft`;
    return label(pointAlong(points, 0.5), words, TEXT_COLOR, { side: 'left', awayPx: 6 });
  });
  return element('g', { id: 'sides', 'font-size': 12 }, ...labels);
}

/** Whether two lines have about the same middle and length. */
function isSame(one: Line, other: Line): boolean {
  const [a, b] = [one, other].map(line => pointAlong(line, 0.5).at);
  const away = Math.hypot(b![0] - a![0], b![1] - a![1]);
  const longer = Math.max(lengthPx(one), lengthPx(other));
  return away < 0.1 * longer && Math.min(lengthPx(one), lengthPx(other)) > 0.9 * longer;
}

/** A white rim that keeps text readable on lines. As attributes, because pages allow no inline styles. */
export const HALO = {
  'paint-order': 'stroke',
  stroke: '#ffffff',
  'stroke-width': 3,
  'stroke-linejoin': 'round',
} as const;

/**
 * Text along a line, never upside down. It is `above` the line, to its `right`, which is the outside of a
 * boundary, or to its `left`, which is the inside.
 */
export function label(
  { at, angle }: ReturnType<typeof pointAlong>,
  words: string,
  color: string,
  { side, awayPx }: { side: 'above' | 'left' | 'right'; awayPx: number },
): string {
  const isTurned = Math.abs(angle) > Math.PI / 2;
  const upright = isTurned ? angle + Math.PI : angle;
  // The y axis points down, so the right of a line is below unrotated text.
  const isBelow = (side === 'right' && !isTurned) || (side === 'left' && isTurned);
  const degrees = Math.round((upright * 180) / Math.PI) % 360;
  return textElement(
    'text',
    {
      transform: `translate(${px(at[0])} ${px(at[1])}) rotate(${degrees})`,
      y: isBelow ? awayPx + 9 : -awayPx,
      fill: color,
      ...HALO,
    },
    words,
  );
}
