import type { ParcelDrawing } from './collect-map.ts';
import { FONT, TEXT_COLOR, ZONE_STYLES, type ZoneKind } from './drawing-style.ts';
import { drawPanel, PANEL_PX, type PanelOptions } from './map-panel.ts';
import { drawMap } from './parcel-map.ts';
import { element, textElement } from './xml.ts';

const EDGE_PX = 12;

/** Draws a parcel as a self-contained SVG document. All text is escaped. */
export function drawParcel(drawn: ParcelDrawing, options: PanelOptions): string {
  const { parcel, view } = drawn;
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
    textElement(
      'title',
      {},
      `Parcel ${parcel.property_id}${parcel.apn === null ? '' : `, APN ${parcel.apn}`}`,
    ),
    textElement(
      'style',
      {},
      '.halo { paint-order: stroke; stroke: #ffffff; stroke-width: 3px; stroke-linejoin: round }',
    ),
    element('defs', {}, ...(Object.keys(ZONE_STYLES) as ZoneKind[]).map(hatch), clip(view)),
    element('rect', { width, height, fill: '#ffffff' }),
    map,
    panel,
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
