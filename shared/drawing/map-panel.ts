import { ACCESS_LABELS, FRONTAGE_CLASSES, SLOPE_GRADES } from '../model/land-layers.ts';
import { shortApn, titleCase } from '../model/roll-text.ts';
import type { ParcelDrawing } from './collect-map.ts';
import type { Difference } from './computed.ts';
import {
  feetText,
  GRAY,
  ROAD_STYLES,
  SLOPE_COLORS,
  SLOPE_OPACITY,
  TEXT_COLOR,
  type ZoneKind,
} from './drawing-style.ts';
import { element, textElement } from './xml.ts';

export const PANEL_PX = 320;
const LINE_HEIGHT_PX = 17;
const CHARS_PER_LINE = 50;
const UNKNOWN = 'unknown';
const MAX_DIFFERENCES = 6;

export type PanelOptions = { differences: readonly Difference[]; waiting: boolean; computedAt: Date | null };

const HEAD = { 'font-size': 18, 'font-weight': 'bold' };

/** The SVG elements added so far, and the y position of the next one. */
type Panel = { elements: string[]; y: number };

/** The panel next to the map: the parcel's identity, its figures with their legend, and notes. */
export function drawPanel(drawn: ParcelDrawing, options: PanelOptions): string {
  const panel: Panel = { elements: [], y: 30 };
  writeIdentity(panel, drawn);
  writeFrontage(panel, drawn);
  const { figures } = drawn.computed;
  const shore = figures.waterfront_ft === null ? UNKNOWN : feetText(figures.waterfront_ft);
  entry(panel, hatch('water'), 'shore', shore, 'shore');
  heading(panel, 'Share of area');
  entry(panel, hatch('wetlands'), 'wetlands', percent(figures.wetlands_percent), 'wetlands-percent');
  entry(panel, hatch('flood'), 'flood zone', percent(figures.flood_zone_percent), 'flood-percent');
  writeBuildable(panel, drawn);
  writeSlope(panel, drawn);
  writeLineLegend(panel);
  panel.y += 7;
  for (const note of drawingNotes(drawn, options))
    for (const words of wrap(note)) write(panel, words, { 'font-size': 11, fill: '#a00000' }, 14);
  return element('g', { id: 'panel' }, ...panel.elements);
}

function write(
  panel: Panel,
  words: string,
  attributes: Record<string, string | number> = {},
  step = LINE_HEIGHT_PX,
): void {
  const style = { y: panel.y, fill: TEXT_COLOR, 'font-size': 12, ...attributes };
  panel.elements.push(textElement('text', style, words));
  panel.y += step;
}

function heading(panel: Panel, words: string): void {
  panel.y += 7;
  write(panel, words, { 'font-weight': 'bold' }, LINE_HEIGHT_PX + 1);
}

function entry(panel: Panel, sample: string, words: string, figure: string, id?: string): void {
  panel.elements.push(
    element(
      'g',
      { transform: `translate(0 ${panel.y})`, fill: TEXT_COLOR, 'font-size': 12, id },
      sample,
      textElement('text', { x: 34 }, words),
      textElement('text', { x: PANEL_PX - 20, 'text-anchor': 'end' }, figure),
    ),
  );
  panel.y += LINE_HEIGHT_PX;
}

function writeIdentity(panel: Panel, drawn: ParcelDrawing): void {
  const { apn, situs_address: address, owner_name: owner, county, state } = drawn.parcel;
  const number = `APN ${apn === null ? 'not stated' : shortApn(apn)}`;
  write(panel, shorten(address === null ? number : titleCase(address)), HEAD, 21);
  if (address !== null) write(panel, shorten(number));
  if (county !== null) write(panel, shorten(`${county}, ${state}`));
  if (owner !== null) write(panel, shorten(titleCase(owner)));
  write(panel, acreage(drawn));
}

function writeFrontage(panel: Panel, { computed: { figures } }: ParcelDrawing): void {
  heading(panel, 'Road frontage');
  const lengths = {
    highway: figures.highway_frontage_ft,
    normal: figures.road_frontage_ft,
    local: figures.local_frontage_ft,
  };
  for (const name of FRONTAGE_CLASSES) {
    const { color, name: words } = ROAD_STYLES[name];
    const sample = element('path', { d: 'M0 -4H26', stroke: color, 'stroke-width': 5.5 });
    const length = lengths[name] === null ? UNKNOWN : feetText(lengths[name]);
    entry(panel, sample, words, length, `frontage-${name}`);
  }
  entry(panel, '', 'access', ACCESS_LABELS[figures.access ?? 'unknown'].toLowerCase());
}

function writeBuildable(panel: Panel, { computed: { figures } }: ParcelDrawing): void {
  const inAcres = (value: number | null) => (value === null ? UNKNOWN : `${value.toFixed(2)} acres`);
  heading(panel, 'Buildable land');
  entry(panel, '', 'left after all reasons', inAcres(figures.buildable_acres), 'buildable');
  entry(panel, '', 'largest piece, 60 ft wide', inAcres(figures.buildable_patch_acres));
}

function writeSlope(panel: Panel, drawn: ParcelDrawing): void {
  const { figures } = drawn.computed;
  heading(panel, 'Slope: share of area steeper than');
  for (const [i, color] of SLOPE_COLORS.entries()) {
    const sample = element('rect', {
      y: -11,
      width: 26,
      height: 14,
      fill: color,
      'fill-opacity': SLOPE_OPACITY,
    });
    const words = i === 0 ? `up to ${SLOPE_GRADES[0]}%` : `over ${SLOPE_GRADES[i - 1]}%`;
    entry(panel, sample, words, i === 0 ? '' : percent(figures.steeper_percent?.[i - 1] ?? null));
  }
  entry(panel, '', 'mean slope', percent(figures.mean_slope_percent));
  entry(panel, '', 'elevation', elevation(drawn));
}

function writeLineLegend(panel: Panel): void {
  const line = (attributes: Record<string, string | number>) =>
    element('path', { d: 'M0 -4H26', ...attributes });
  heading(panel, 'Lines');
  entry(panel, line({ stroke: TEXT_COLOR, 'stroke-width': 2 }), 'parcel boundary', '');
  entry(panel, line({ stroke: GRAY, 'stroke-width': 0.7 }), 'other parcels', '');
  for (const [name, words] of [
    ['local', 'roads with frontage, by class'],
    ['private', 'private roads: access only'],
  ] as const) {
    const { color: stroke, widthPx } = ROAD_STYLES[name];
    entry(panel, line({ stroke, 'stroke-width': widthPx, opacity: 0.45 }), words, '');
  }
}

/** Warnings about the drawing: failures, outdated figures, and what is not drawn. */
export function drawingNotes(
  drawn: ParcelDrawing,
  { differences, waiting, computedAt }: PanelOptions,
): string[] {
  const { computed, surroundings } = drawn;
  const notes = [...computed.failures];
  if (computedAt === null)
    notes.push('No land figures are stored yet. The drawing shows the ones computed now.');
  else if (differences.length > 0) {
    const shown = differences.slice(0, MAX_DIFFERENCES).map(describeDifference).join('; ');
    const more = differences.length > MAX_DIFFERENCES ? ' …' : '';
    const why = waiting ? 'they are waiting to be recomputed' : 'run plat recompute attributes';
    notes.push(`The stored figures are out of date (${why}): ${shown}${more}`);
  }
  if (computed.cells === null)
    notes.push(
      'Slope is not drawn, because the parcel covers too many grid cells. Its shares include all of them.',
    );
  if (surroundings.truncated.length > 0)
    notes.push(`Too many ${surroundings.truncated.join(', ')} to draw. Only the largest are shown.`);
  return notes;
}

export function describeDifference({ figure, stored, computed }: Difference): string {
  const show = (value: Difference['stored']) =>
    typeof value === 'number' ? value.toFixed(1) : String(value ?? 'unknown');
  return `${figure} ${show(stored)}, now ${show(computed)}`;
}

function hatch(kind: ZoneKind): string {
  return element('rect', { y: -11, width: 26, height: 14, fill: `url(#${kind}-hatch)` });
}

const percent = (value: number | null): string => (value === null ? UNKNOWN : `${value.toFixed(1)}%`);

function acreage({ parcel: { acres, calculated_acres: measured } }: ParcelDrawing): string {
  const stated = acres === null ? 'acres not stated' : `${Math.round(100 * acres) / 100} acres stated`;
  return measured === null ? stated : `${stated}, ${measured.toFixed(2)} measured`;
}

function elevation({ computed: { figures } }: ParcelDrawing): string {
  const { min_elevation_m: least, max_elevation_m: most } = figures;
  return least === null || most === null ? UNKNOWN : `${least.toFixed(1)} to ${most.toFixed(1)} m`;
}

function shorten(words: string): string {
  return words.length <= CHARS_PER_LINE - 8 ? words : `${words.slice(0, CHARS_PER_LINE - 9)}…`;
}

function wrap(words: string): string[] {
  const lines = [''];
  for (const word of words.split(' ')) {
    const last = lines.at(-1)!;
    if (last !== '' && last.length + 1 + word.length > CHARS_PER_LINE) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}
