import { padBox } from '../geo/box.ts';
import type { ParcelMap } from './collect-map.ts';
import { clipLine, pathOf } from './drawing-lines.ts';
import { GRAY, ROAD_DRAW_ORDER, ROAD_STYLES } from './drawing-style.ts';
import { drawSideLengths } from './map-labels.ts';
import { drawNorth, drawScaleBar, drawZones, ringsOf } from './parcel-map.ts';
import { element } from './xml.ts';

const PICK = '#c2185b';
const ROAD = '#cfc7b2';
const WATER = '#b9d5e3';
/** Shapes are clipped this far outside the view to hide the clipped edges. */
const CLIP_MARGIN_PX = 12;

/** The parcel with the lengths of its sides, on the parcels, roads, and land around it. */
export function drawSmallMap({
  shape,
  view,
  surroundings: { neighbors, roads, ...zones },
}: ParcelMap): string {
  const frame = padBox([0, 0, view.widthPx, view.heightPx], CLIP_MARGIN_PX);
  const others = neighbors.map(({ shape: other }) => pathOf(ringsOf(other, view, frame), true)).join('');
  const roadsOf = (name: (typeof ROAD_DRAW_ORDER)[number]) =>
    roads.filter(road => road.class === name).flatMap(({ line }) => clipLine(line.map(view.toPx), frame));
  return [
    element('rect', { width: view.widthPx, height: view.heightPx, fill: '#f7f6f0' }),
    element('path', {
      id: 'water',
      d: zones.water.map(zone => pathOf(ringsOf(zone.shape, view, frame), true)).join(''),
      fill: WATER,
      'fill-rule': 'evenodd',
    }),
    drawZones('wetlands', zones.wetlands, view, frame),
    drawZones('flood', zones.flood, view, frame),
    element('path', { id: 'neighbours', d: others, fill: 'none', stroke: GRAY, 'stroke-width': 0.7 }),
    ...ROAD_DRAW_ORDER.map(name =>
      element('path', {
        'data-class': name,
        d: pathOf(roadsOf(name), false),
        fill: 'none',
        stroke: ROAD,
        'stroke-width': 2 * ROAD_STYLES[name].widthPx,
        'stroke-linecap': 'round',
      }),
    ),
    element('path', {
      id: 'boundary',
      d: pathOf(ringsOf(shape, view, frame), true),
      fill: PICK,
      'fill-opacity': 0.14,
      'fill-rule': 'evenodd',
      stroke: PICK,
      'stroke-width': 2.5,
      'stroke-linejoin': 'round',
    }),
    drawSideLengths(shape, view),
    drawNorth(view),
    drawScaleBar(view),
  ].join('\n');
}
