import { shortApn } from '../model/roll-text.ts';
import { drawBuildable } from './buildable-map.ts';
import type { ParcelDrawing, ParcelMap } from './collect-map.ts';
import { FONT, TEXT_COLOR, ZONE_STYLES, type ZoneKind } from './drawing-style.ts';
import { drawPanel, PANEL_PX, type PanelOptions } from './map-panel.ts';
import { drawMap } from './parcel-map.ts';
import { drawSmallMap } from './small-map.ts';
import { element, textElement } from './xml.ts';

const EDGE_PX = 12;

/** Draws a parcel as a self-contained SVG document. All text is escaped. */
export function drawParcel(drawn: ParcelDrawing, options: PanelOptions): string {
  const { view } = drawn;
  const width = view.widthPx + PANEL_PX + 3 * EDGE_PX;
  const height = view.heightPx + 2 * EDGE_PX;
  const map = element(
    'g',
    { transform: `translate(${EDGE_PX} ${EDGE_PX})`, 'text-anchor': 'middle' },
    element('g', { 'clip-path': 'url(#view)' }, drawMap(drawn)),
    element('rect', { width: view.widthPx, height: view.heightPx, fill: 'none', stroke: TEXT_COLOR }),
  );
  const panel = element(
    'g',
    { transform: `translate(${view.widthPx + 2.5 * EDGE_PX} 0)` },
    drawPanel(drawn, options),
  );
  return documentOf(drawn, { width, height }, map, panel);
}

/** The parcel's map without figures, small enough for a page or a report. */
export function drawParcelMap(drawn: ParcelMap): string {
  const { widthPx: width, heightPx: height } = drawn.view;
  const map = element('g', { 'text-anchor': 'middle', 'clip-path': 'url(#view)' }, drawSmallMap(drawn));
  return documentOf(drawn, { width, height }, map);
}

/** The parcel's buildable land, small enough for a page. */
export function drawBuildableMap(drawn: ParcelDrawing): string {
  const { widthPx: width, heightPx: height } = drawn.view;
  const map = element('g', { 'text-anchor': 'middle', 'clip-path': 'url(#view)' }, drawBuildable(drawn));
  return documentOf(drawn, { width, height }, map);
}

type Size = { width: number; height: number };

function documentOf({ parcel, view }: ParcelMap, { width, height }: Size, ...content: string[]): string {
  const svg = element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      'font-family': FONT,
      'data-metres-per-px': view.metersPerPx.toPrecision(9),
    },
    textElement('title', {}, parcel.apn === null ? 'Parcel' : `APN ${shortApn(parcel.apn)}`),
    element('defs', {}, ...(Object.keys(ZONE_STYLES) as ZoneKind[]).map(hatch), clip(view)),
    element('rect', { width, height, fill: '#ffffff' }),
    ...content,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${svg}\n`;
}

/** A pattern of lines, which are vertical before the pattern is rotated. */
function hatch(name: ZoneKind): string {
  const { color, degrees, stepPx: step } = ZONE_STYLES[name];
  return element(
    'pattern',
    {
      id: `${name}-hatch`,
      patternUnits: 'userSpaceOnUse',
      width: step,
      height: step,
      patternTransform: `rotate(${degrees})`,
    },
    element('path', { d: `M${step / 2} 0V${step}`, stroke: color, 'stroke-width': 1.1 }),
  );
}

function clip({ widthPx, heightPx }: ParcelDrawing['view']): string {
  return element('clipPath', { id: 'view' }, element('rect', { width: widthPx, height: heightPx }));
}
