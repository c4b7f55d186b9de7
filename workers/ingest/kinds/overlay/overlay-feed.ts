import { MAX_CLASS_CHARS, type Overlay, paletteColor } from '../../../../shared/model/overlays.ts';
import type { FeedBase } from '../../../feeds/feed.ts';
import { columnProblem, fieldTarget, mappedInput, rowFields } from '../../../feeds/feed-columns.ts';
import type { Report } from '../../../feeds/locate-faults.ts';
import type { OVERLAYS_SECTION, OverlaysSection } from '../../../feeds/overlays-schema.ts';
import type { Preset } from '../../../feeds/presets.ts';
import type { TargetSpec } from '../../../feeds/values/value-parser.ts';
import { FORMATS } from '../../../formats/file-formats.ts';
import { readWindow } from '../../../formats/format-input.ts';
import type { FileOf } from '../../engine/feed-kind.ts';
import type { COVERAGE_SECTION } from '../../layers/files-schema.ts';
import type { layerSchema } from '../../layers/layer-schema.ts';
import { type LayerFeed, NAME_FIELD } from '../../layers/vector-layer.ts';

/** The fields that features of every overlay can have. */
export const FEATURE_FIELDS: Record<string, TargetSpec> = {
  name: NAME_FIELD,
  longitude: { type: 'degrees', doc: 'Longitude (WGS84) in degrees, for a source without geometry' },
  latitude: { type: 'degrees', doc: 'Latitude (WGS84) in degrees, for a source without geometry' },
};

type Sections = { layer: ReturnType<typeof layerSchema> } & typeof OVERLAYS_SECTION & typeof COVERAGE_SECTION;

export function resolveOverlay(
  file: FileOf<Sections>,
  base: FeedBase,
  report: Report,
  preset: Preset | null,
): LayerFeed<'overlay'> {
  const section = { ...preset?.input, ...file.layer! };
  const overlays = declared({ ...preset?.overlays, ...file.overlays });
  if (overlays.length === 0) report('overlays', 'declares no overlay');
  const numbers = overlays.flatMap(overlay => overlay.numbers.map(({ name }) => name));
  const own = [...overlays.map(({ name }) => name), ...numbers];
  for (const name of own) {
    if (Object.hasOwn(FEATURE_FIELDS, name))
      report(`overlays.${name}`, `is a field of every feature; use another name`);
    if (own.indexOf(name) !== own.lastIndexOf(name))
      report('overlays', `uses the name ${name} more than once`);
  }
  const within = readWindow(section, base.fips, 'features', message => report('layer.within', message));
  const input = mappedInput<string>(section, preset, within);
  const { names, specs } = overlayFields(overlays);
  for (const [name, spec] of Object.entries(input.columns)) {
    if (!names.includes(name))
      report(`layer.columns.${name}`, `is not declared in overlays, and is not name, longitude, or latitude`);
    const problem = spec && columnProblem(fieldTarget({ names, specs }, name), spec);
    if (problem) report(`layer.columns.${name}`, problem);
  }
  for (const name of numbers)
    if (!input.columns[name])
      report(`layer.columns.${name}`, 'is required, because overlays declares the number');
  if (!FORMATS[section.format].geometry && !input.columns.longitude)
    report('layer.columns.longitude', `is required, because ${section.format} has no geometry`);
  const coverage = file.coverage ?? null;
  return { ...base, kind: 'overlay', layer: input, coverage, reachM: null, overlays };
}

const declared = (section: OverlaysSection): Overlay[] =>
  Object.entries(section).map(([name, { label, note, distance_ft = null, classes = {}, numbers = {} }]) => ({
    name,
    label,
    ...(note !== undefined && { note }),
    distance_ft,
    classes: Object.entries(classes).map(([id, { label = id, color }], i) => ({
      class: id,
      label,
      color: color ?? paletteColor(i),
      features: 0,
    })),
    numbers: Object.entries(numbers).map(([name, { label, unit = null }]) => ({ name, label, unit })),
  }));

/** The fields of a feature: its class in each overlay, its numbers, and those that all have. */
export function overlayFields(overlays: readonly Overlay[]) {
  const classes = overlays.map(({ name, label }): [string, TargetSpec] => [
    name,
    { type: 'text', doc: `Class in ${label}`, maxChars: MAX_CLASS_CHARS },
  ]);
  const numbers = overlays.flatMap(overlay =>
    overlay.numbers.map(({ name, label }): [string, TargetSpec] => [name, { type: 'number', doc: label }]),
  );
  return rowFields({ ...Object.fromEntries([...classes, ...numbers]), ...FEATURE_FIELDS });
}
