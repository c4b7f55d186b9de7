import { padBox } from '../geo/box.ts';
import type { Box, MultiPolygon, Position } from '../geo/geometry-types.ts';
import type { FacingStretch } from '../kernels/frontage/frontage.ts';
import { SLOPE_GRADES } from '../model/land-layers.ts';
import type { SlopeCell } from '../raster/elevation-grid.ts';
import type { ParcelDrawing, Surroundings, Zone } from './collect-map.ts';
import { clipLine, clipRing, type Line, lengthPx, pathOf, pointAlong, px } from './drawing-lines.ts';
import {
  feetText,
  GRAY,
  ROAD_DRAW_ORDER,
  ROAD_STYLES,
  SLOPE_COLORS,
  SLOPE_OPACITY,
  TEXT_COLOR,
  ZONE_STYLES,
  type ZoneKind,
} from './drawing-style.ts';
import { type Point, scaleBarOf, type View } from './map-extent.ts';
import { drawSideLengths, HALO, label } from './map-labels.ts';
import { element, textElement } from './xml.ts';

/** Shapes are clipped this far outside the view to hide the clipped edges. */
const CLIP_MARGIN_PX = 12;
/** Shorter stretches and roads get no label. */
const MIN_LABELED_PX = 30;
const MIN_NAMED_ROAD_PX = 90;
const MAX_LABELS = 40;
/** Position of a road's name along its line. The middle is left free for frontage lengths. */
const NAME_POSITION = 0.3;

export function drawMap({ parcel, shape, view, computed, surroundings }: ParcelDrawing): string {
  const frame = padBox([0, 0, view.widthPx, view.heightPx], CLIP_MARGIN_PX);
  const boundary = pathOf(ringsOf(shape, view, frame), true);
  return [
    element('rect', { width: view.widthPx, height: view.heightPx, fill: '#faf9f5' }),
    element('path', { d: boundary, fill: '#ffffff', 'fill-rule': 'evenodd' }),
    drawCells(computed.cells ?? [], view),
    drawZones('water', surroundings.water, view, frame),
    drawZones('wetlands', surroundings.wetlands, view, frame),
    drawZones('flood', surroundings.flood, view, frame),
    drawNeighbors(surroundings, view, frame),
    drawRoads(surroundings, view, frame),
    element('path', {
      id: 'boundary',
      d: boundary,
      fill: 'none',
      stroke: TEXT_COLOR,
      'stroke-width': 2,
      'stroke-linejoin': 'round',
      'data-property-id': parcel.property_id,
    }),
    drawSideLengths(
      shape,
      view,
      computed.facing.map(({ line }) => line.map(view.toPx)),
    ),
    drawFrontage(computed.facing, view),
    drawNorth(view),
    drawScaleBar(view),
  ].join('\n');
}

export function ringsOf(shape: MultiPolygon, view: View, frame: Box): Line[] {
  return shape
    .flat()
    .map(ring => clipRing(ring.slice(0, -1).map(view.toPx), frame))
    .filter(ring => ring.length > 0);
}

export function drawZones(kind: ZoneKind, zones: readonly Zone[], view: View, frame: Box): string {
  const { name, color } = ZONE_STYLES[kind];
  const paths = zones.flatMap(zone => {
    const rings = ringsOf(zone.shape, view, frame);
    if (rings.length === 0) return [];
    const title = textElement('title', {}, `${name} ${zone.class}`);
    return element('path', { d: pathOf(rings, true), 'data-class': zone.class }, title);
  });
  return element(
    'g',
    {
      id: kind,
      fill: `url(#${kind}-hatch)`,
      'fill-rule': 'evenodd',
      stroke: color,
      'stroke-width': 0.7,
      'stroke-opacity': 0.7,
    },
    ...paths,
  );
}

function drawNeighbors({ neighbors }: Surroundings, view: View, frame: Box): string {
  const paths = neighbors.flatMap(({ id, apn, shape }) => {
    const rings = ringsOf(shape, view, frame);
    if (rings.length === 0) return [];
    const title = textElement('title', {}, apn === null ? `${id}` : `${id}, APN ${apn}`);
    return element('path', { d: pathOf(rings, true) }, title);
  });
  return element(
    'g',
    { id: 'neighbours', fill: '#ffffff', 'fill-opacity': 0, stroke: GRAY, 'stroke-width': 0.7 },
    ...paths,
  );
}

function drawRoads({ roads }: Surroundings, view: View, frame: Box): string {
  const lines: string[] = [];
  const names: string[] = [];
  for (const name of ROAD_DRAW_ORDER) {
    const style = ROAD_STYLES[name];
    const parts = roads
      .filter(road => road.class === name)
      .flatMap(road => clipLine(road.line.map(view.toPx), frame));
    if (parts.length === 0) continue;
    lines.push(
      element('path', {
        'data-class': name,
        d: pathOf(parts, false),
        stroke: style.color,
        'stroke-width': style.widthPx,
      }),
    );
    const longest = parts.filter(part => lengthPx(part) >= MIN_NAMED_ROAD_PX);
    for (const part of longest.sort((a, b) => lengthPx(b) - lengthPx(a)).slice(0, MAX_LABELS / 4))
      names.push(
        label(pointAlong(part, NAME_POSITION), style.name, style.color, { side: 'above', awayPx: 4 }),
      );
  }
  const group = { id: 'roads', fill: 'none', 'stroke-opacity': 0.45, 'stroke-linecap': 'round' };
  return element('g', group, ...lines) + element('g', { id: 'road-names', 'font-size': 10 }, ...names);
}

function drawFrontage(facing: readonly FacingStretch[], view: View): string {
  const stretches = facing.map(({ class: name, line, sides }) => {
    const points = line.map(view.toPx);
    const feet = (sides * lengthPx(points) * view.metersPerPx) / 0.3048;
    return { name, points, sides, feet, style: ROAD_STYLES[name] };
  });
  const lines = stretches.map(({ name, points, sides, feet, style }) => {
    const words = `faces ${style.name}: ${feetText(feet)}${sides === 2 ? ', both sides counted' : ''}`;
    return element(
      'path',
      {
        'data-class': name,
        'data-ft': feet.toFixed(3),
        'data-sides': sides,
        d: pathOf([points], false),
        stroke: style.color,
      },
      textElement('title', {}, words),
    );
  });
  const labels = stretches
    .filter(({ points }) => lengthPx(points) >= MIN_LABELED_PX)
    .sort((a, b) => b.feet - a.feet)
    .slice(0, MAX_LABELS)
    .map(({ points, feet, sides, style }) =>
      label(pointAlong(points, 0.5), `${feetText(feet)}${sides === 2 ? ' (two sides)' : ''}`, style.color, {
        side: 'right',
        awayPx: 8,
      }),
    );
  const group = { id: 'frontage', fill: 'none', 'stroke-width': 5.5, 'stroke-linecap': 'butt' };
  return (
    element('g', group, ...lines) +
    element('g', { id: 'lengths', 'font-size': 12, 'font-weight': 'bold' }, ...labels)
  );
}

export function drawNorth({ widthPx }: View): string {
  return element(
    'g',
    { id: 'north', transform: `translate(${widthPx - 30} 18)` },
    element('path', { d: 'M0 0L7 22L0 17L-7 22Z', fill: TEXT_COLOR, stroke: '#ffffff', 'stroke-width': 1 }),
    textElement('text', { y: 35, 'font-size': 13, 'font-weight': 'bold', ...HALO }, 'N'),
  );
}

export function drawScaleBar(view: View): string {
  const { feet, px: length } = scaleBarOf(view, view.widthPx / 4);
  const words = `${feet.toLocaleString('en-US')} ft`;
  return element(
    'g',
    { id: 'scale-bar', 'data-ft': feet, transform: `translate(18 ${view.heightPx - 16})` },
    element('path', { d: `M0 -7V0H${px(length)}V-7`, fill: 'none', stroke: '#ffffff', 'stroke-width': 5 }),
    element('path', { d: `M0 -7V0H${px(length)}V-7`, fill: 'none', stroke: TEXT_COLOR, 'stroke-width': 2 }),
    textElement('text', { x: px(length / 2), y: -8, 'font-size': 12, ...HALO }, words),
  );
}

const NO_DATA = '#9e9e9e';

/** Covered fractions are rounded to twentieths, to limit the number of elements. */
const FRACTION_STEPS = 20;

/** The number of grades that a slope is steeper than; null if the slope is unknown. */
export function gradeOf(slopePercent: number | null): number | null {
  return slopePercent === null ? null : SLOPE_GRADES.filter(grade => slopePercent > grade).length;
}

/** Draws one element per color, and one rectangle per run of cells in a row. */
export function drawCells(cells: readonly SlopeCell[], view: View): string {
  const groups = new Map<string, { color: string; opacity: number; runs: Position[][] }>();
  let run: { key: string; corners: Position[] } | undefined;
  for (const { corners, slopePercent, fraction } of cells) {
    const grade = gradeOf(slopePercent);
    const step = Math.ceil(fraction * FRACTION_STEPS);
    const key = `${grade} ${step}`;
    const [topLeft, topRight, bottomRight, bottomLeft] = corners;
    if (run?.key === key && isSame(run.corners[1]!, topLeft) && isSame(run.corners[2]!, bottomLeft)) {
      run.corners[1] = topRight;
      run.corners[2] = bottomRight;
      continue;
    }
    run = { key, corners: [topLeft, topRight, bottomRight, bottomLeft] };
    const color = grade === null ? NO_DATA : SLOPE_COLORS[grade]!;
    const group = groups.get(key) ?? { color, opacity: (SLOPE_OPACITY * step) / FRACTION_STEPS, runs: [] };
    groups.set(key, group);
    group.runs.push(run.corners);
  }
  const paths = [...groups.values()].map(({ color, opacity, runs }) =>
    element('path', {
      fill: color,
      'fill-opacity': Math.round(1000 * opacity) / 1000,
      d: runs.map(corners => rectangle(corners.map(view.toPx) as Corners)).join(''),
    }),
  );
  // Without crisp edges, anti-aliasing shows seams between cells.
  return element('g', { id: 'slope', 'shape-rendering': 'crispEdges' }, ...paths);
}

type Corners = [Point, Point, Point, Point];

/**
 * Grid rows are slightly tilted, so rectangles overlap by this much to leave no empty pixels between them.
 */
const OVERLAP_PX = 0.06;

/** The SVG path of a cell, with each corner moved outward by OVERLAP_PX. */
function rectangle([nw, ne, se, sw]: Corners): string {
  const at = ([x, y]: Point, right: number, down: number) =>
    `${(x + right * OVERLAP_PX).toFixed(2)} ${(y + down * OVERLAP_PX).toFixed(2)}`;
  return `M${at(nw, -1, -1)}L${at(ne, 1, -1)}L${at(se, 1, 1)}L${at(sw, -1, 1)}Z`;
}

const isSame = (a: Position, b: Position) => a[0] === b[0] && a[1] === b[1];
