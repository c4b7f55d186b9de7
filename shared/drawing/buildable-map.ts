import { padBox } from '../geo/box.ts';
import type { UnbuildableReason } from '../kernels/buildable.ts';
import { STEEP_PERCENT } from '../model/land-layers.ts';
import type { ParcelDrawing } from './collect-map.ts';
import { type Line, pathOf } from './drawing-lines.ts';
import { GRAY, ZONE_STYLES } from './drawing-style.ts';
import { drawNorth, drawScaleBar, ringsOf } from './parcel-map.ts';
import { element } from './xml.ts';

/** Colors of the reasons, which also the parcel page's legend uses. */
export const REASON_COLORS: Record<UnbuildableReason, string> = {
  wetlands: ZONE_STYLES.wetlands.color,
  flood_zone: ZONE_STYLES.flood.color,
  water: ZONE_STYLES.water.color,
  steep: '#a0522d',
};

const BUILDABLE = '#cfe8b4';
const OUTLINE = '#c2185b';
/** Shapes are clipped this far outside the view to hide the clipped edges. */
const CLIP_MARGIN_PX = 12;

/** The parcel with its buildable land, and over it what can't be built on, by reason. */
export function drawBuildable({ shape, view, computed, surroundings }: ParcelDrawing): string {
  const frame = padBox([0, 0, view.widthPx, view.heightPx], CLIP_MARGIN_PX);
  const boundary = pathOf(ringsOf(shape, view, frame), true);
  const neighbors = surroundings.neighbors.map(each => pathOf(ringsOf(each.shape, view, frame), true));
  const steep = (computed.cells ?? [])
    .filter(({ slopePercent }) => slopePercent !== null && slopePercent > STEEP_PERCENT)
    .map(({ corners }): Line => corners.map(view.toPx));
  const zones = (kind: 'wetlands' | 'flood' | 'water') =>
    surroundings[kind].flatMap(zone => ringsOf(zone.shape, view, frame));
  return [
    element('rect', { width: view.widthPx, height: view.heightPx, fill: '#f7f6f0' }),
    element('path', { d: neighbors.join(''), fill: 'none', stroke: GRAY, 'stroke-width': 1 }),
    element('clipPath', { id: 'parcel' }, element('path', { d: boundary, 'clip-rule': 'evenodd' })),
    element('path', { d: boundary, fill: BUILDABLE, 'fill-rule': 'evenodd' }),
    element(
      'g',
      { id: 'unbuildable', 'clip-path': 'url(#parcel)' },
      area('steep', steep),
      area('water', zones('water')),
      area('flood_zone', zones('flood')),
      area('wetlands', zones('wetlands')),
    ),
    element('path', {
      id: 'boundary',
      d: boundary,
      fill: 'none',
      stroke: OUTLINE,
      'stroke-width': 3,
      'stroke-linejoin': 'round',
    }),
    drawNorth(view),
    drawScaleBar(view),
  ].join('\n');
}

/** Translucent, because areas of several reasons overlap. */
function area(reason: UnbuildableReason, rings: readonly Line[]): string {
  const style = { fill: REASON_COLORS[reason], 'fill-opacity': 0.6 };
  return element('path', { 'data-reason': reason, ...style, d: pathOf(rings, true) });
}
