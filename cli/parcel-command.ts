import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { ParcelDrawing } from '../shared/drawing/collect-map.ts';
import type { Difference } from '../shared/drawing/computed.ts';
import type { StoredParcel } from '../shared/drawing/known-parcel.ts';
import type { Figures } from '../shared/land/compute-land.ts';
import type { OverlayWords } from '../shared/land/overlay-words.ts';
import { fieldText } from '../shared/model/field-text.ts';
import { ACCESS_LABELS, SLOPE_GRADES } from '../shared/model/land-layers.ts';
import {
  FIELD_GROUPS,
  fieldsIn,
  PARCEL_FIELD_NAMES,
  PARCEL_FIELDS,
  type ParcelField,
} from '../shared/model/parcel-fields.ts';
import { errorCode, PlatError } from '../shared/platform/errors.ts';
import { fiveDigits } from '../shared/regions/counties.ts';
import { propertyId } from './common/cli-options.ts';
import { table } from './common/cli-output.ts';
import { action } from './common/cli-session.ts';

export function addParcelCommands(program: Command): void {
  const show = program
    .command('parcel')
    .description('show and draw a parcel')
    .command('show')
    .description('show a parcel: its roll fields, its land figures, and the layer versions they come from')
    .argument('<id>', "a parcel's property_id", propertyId)
    .option('--svg <file>', 'draw its boundary, roads, frontage, water, wetlands, flood zones, and slope')
    .addHelpText('after', '\nExample:\n  plat parcel show 2301900000001 --svg parcel.svg');
  action(show, async ({ db }, id: number, { svg }: { svg?: string }) => {
    const { readParcelDrawing } = await import('../shared/drawing/collect-map.ts');
    const { signal } = new AbortController();
    const found = await readParcelDrawing(db, id, svg === undefined ? null : { signal });
    if (found === null) {
      const message = `There is no parcel ${id}. Use the property_id that the API returns.`;
      throw new PlatError('not_found', message);
    }
    const { readOverlayWords } = await import('../shared/land/overlay-words.ts');
    const overlays = await readOverlayWords(db, id);
    const drawing = found.drawn === null ? null : await draw(found.stored, found.drawn, svg!);
    const text = [describe(found.stored, overlays), ...(drawing?.lines ?? [])].join('\n');
    return [{ ...jsonOf(found.stored, drawing), overlays }, text];
  });
}

type Drawing = { file: string; drawn: ParcelDrawing; found: Difference[]; lines: string[] };

async function draw({ land, waiting }: StoredParcel, drawn: ParcelDrawing, file: string): Promise<Drawing> {
  const [{ findDifferences }, { drawParcel }, { drawingNotes }] = await Promise.all([
    import('../shared/drawing/computed.ts'),
    import('../shared/drawing/draw-parcel.ts'),
    import('../shared/drawing/map-panel.ts'),
  ]);
  const different = land === null ? [] : findDifferences(land.figures, drawn.computed);
  const options = {
    differences: different,
    waiting: waiting.length > 0,
    computedAt: land?.computed_at ?? null,
  };
  await writeFile(file, drawParcel(drawn, options)).catch(error => {
    const why = { ENOENT: 'the folder does not exist', EACCES: 'no permission' }[errorCode(error) ?? ''];
    throw new PlatError('svg_file', `Can't write ${file}: ${why ?? (error as Error).message}.`, {
      cause: error,
    });
  });
  return { file, drawn, found: different, lines: ['', ...drawingNotes(drawn, options), `Drawn: ${file}`] };
}

function jsonOf({ parcel, land, versions, waiting }: StoredParcel, drawing: Drawing | null) {
  const { boundary, shape_hash: _hash, x, y, west, south, east, north, fips, ...roll } = parcel;
  const shape =
    boundary === null
      ? { point: null, extent: null }
      : { point: [x / 1e7, y / 1e7], extent: [west, south, east, north].map(e7 => e7 / 1e7) };
  return {
    ...roll,
    fips: fiveDigits(fips),
    ...shape,
    land: land && landOf(land),
    layers: versions,
    waiting,
    ...(drawing && {
      drawing: { file: drawing.file, computed: figuresOf(drawing.drawn), differences: drawing.found },
    }),
  };
}

/** The figures as the API returns them. */
function landOf({
  figures,
  access,
  waterfront,
  computed_at,
  of_boundary,
}: NonNullable<StoredParcel['land']>) {
  const landlocked = access === null ? figures.landlocked : access === 'none';
  return { ...figures, access: access ?? 'unknown', landlocked, waterfront, computed_at, of_boundary };
}

function figuresOf({ computed: { figures, failures } }: ParcelDrawing) {
  const {
    property_id: _id,
    mark: _mark,
    shape_hash: _hash,
    layers: _layers,
    remaining: _rest,
    ...rest
  } = figures;
  return { ...rest, failures };
}

const LABEL_CHARS = Math.max(...PARCEL_FIELD_NAMES.map(name => PARCEL_FIELDS[name].label.length));

function describe(
  { parcel, land, versions, waiting }: StoredParcel,
  overlays: readonly OverlayWords[],
): string {
  const place = parcel.county === null ? '' : `${parcel.county}, ${parcel.state} `;
  const lines = [
    `parcel ${parcel.property_id}, APN ${parcel.apn ?? 'not stated'}, ${place}(${fiveDigits(parcel.fips)})`,
  ];
  const say = (name: string, words: string) => lines.push(`  ${name.padEnd(14)} ${words}`);
  if (parcel.retired_at !== null)
    say('retired', `left the roll on ${moment(parcel.retired_at)} with run ${parcel.retired_run}`);
  say('roll', `feed ${parcel.feed}, new in run ${parcel.created_run}, changed in run ${parcel.changed_run}`);
  if (parcel.boundary === null) say('geometry', 'none, so land figures are unknown');
  else say('at', `${parcel.y / 1e7}, ${parcel.x / 1e7}`);
  if (parcel.calculated_acres !== null) say('measured', `${parcel.calculated_acres.toFixed(2)} acres`);
  for (const group of FIELD_GROUPS) {
    const facts = fieldsIn(group, PARCEL_FIELDS).flatMap(([name, spec]) => {
      const text = fieldText(spec, parcel[name as ParcelField]);
      return text === undefined ? [] : [`  ${spec.label.padEnd(LABEL_CHARS)} ${text}`];
    });
    if (facts.length > 0) lines.push('', group.toLowerCase(), ...facts);
  }
  lines.push('', ...describeLand({ parcel, land, versions, waiting }, overlays));
  return lines.join('\n');
}

function describeLand(
  { parcel, land, versions, waiting }: StoredParcel,
  overlays: readonly OverlayWords[],
): string[] {
  if (land === null) {
    const why = waiting.length > 0 ? 'queued' : 'no layer covers it, or the figures are unknown';
    return parcel.retired_at === null && parcel.boundary !== null ? [`land: not computed (${why})`] : [];
  }
  const { figures } = land;
  const lines = [`land, computed ${moment(land.computed_at)}`];
  const say = (name: string, words: string) => lines.push(`  ${name.padEnd(14)} ${words}`);
  const amountText = (value: number | null, unit: string) => amount(value, unit, 1) ?? 'unknown';
  say(
    'frontage',
    `highway ${amountText(figures.highway_frontage_ft, ' ft')}, road ${amountText(figures.road_frontage_ft, ' ft')}, local road ${amountText(figures.local_frontage_ft, ' ft')}`,
  );
  say('access', ACCESS_LABELS[land.access ?? 'unknown'].toLowerCase());
  say(
    'shore',
    `${amountText(figures.waterfront_ft, ' ft')}${figures.water_name === null ? '' : ` on ${figures.water_name}`}`,
  );
  say('wetlands', amountText(figures.wetlands_percent, '% of the area'));
  say('flood zone', amountText(figures.flood_zone_percent, '% of the area'));
  say(
    'elevation',
    figures.mean_elevation_m === null
      ? 'unknown'
      : `${amountText(figures.min_elevation_m, '')} to ${amountText(figures.max_elevation_m, ' m')}, mean ${amountText(figures.mean_elevation_m, ' m')}`,
  );
  say('mean slope', amountText(figures.mean_slope_percent, '%'));
  const shares = figures.steeper_percent;
  if (shares !== null)
    say('steeper than', SLOPE_GRADES.map((grade, i) => `${grade}%: ${shares[i]!.toFixed(1)}%`).join(', '));
  say('buildable', buildableText(figures));
  for (const { label, words } of overlays) lines.push(`  ${label}: ${words}`);
  if (!land.of_boundary) lines.push('  These figures describe an earlier boundary.');
  if (waiting.length > 0) lines.push(`  Waiting to be recomputed: ${waiting.join(', ')}.`);
  if (parcel.retired_at !== null) lines.push('  Computed while the parcel was on the roll.');
  const rows = versions.map(({ kind: layer, feed, run_id: run, merged_at: merged, current }) => {
    const now = current === null ? 'gone' : current === run ? 'current' : `replaced by run ${current}`;
    return { layer, feed, run, merged, now };
  });
  return [...lines, '', table(rows)];
}

function buildableText({ buildable_acres: acres, buildable_percent: share, ...figures }: Figures): string {
  if (acres === null) return 'unknown';
  const reasons = figures.unbuildable!.map(each => `${each.reason} ${each.acres.toFixed(2)}`).join(', ');
  return `${acres.toFixed(2)} acres (${share!.toFixed(1)}%), largest piece ${figures.buildable_patch_acres!.toFixed(2)} acres; not buildable: ${reasons}`;
}

const moment = (date: Date) => `${date.toISOString().slice(0, 16).replace('T', ' ')}Z`;

const amount = (value: number | null, unit: string, digits: number): string | null =>
  value === null ? null : `${value.toFixed(digits)}${unit}`;
