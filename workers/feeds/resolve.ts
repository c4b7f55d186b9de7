import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parse } from 'yaml';
import type { ListingField } from '../../shared/domain/listing-fields.ts';
import { isFormerCounty } from '../../shared/regions/connecticut.ts';
import type { Input } from '../../shared/runs.ts';
import type { ColumnSpec, Condition, KeySpec } from './column-schema.ts';
import { columnProblem, mergeColumns } from './columns.ts';
import {
  type FeedFile,
  GATE_DEFAULTS,
  type Gates,
  type ListingsFile,
  type ParcelTarget,
  type PresetName,
  type RollFile,
  targetSpec,
} from './definition.ts';
import type { Feed, FeedBase, ListingInput, ParcelInput, Sales, SkipCondition } from './feed.ts';
import { inputSpec, wantedPart } from './input-schema.ts';
import type { Issue, Report } from './locate.ts';
import { elevation, imagery, layer, strayIssues } from './resolve-layer.ts';
import { contacts, dnc, numbering } from './resolve-phones.ts';
import { isKnownCounty, noSuchCounty } from './values/place.ts';

/** A known schema, written like the section of a feed file. Feeds that name it need only say what to read. */
export type Preset = {
  kind: 'assessor' | 'listings';
  /** Of kind assessor. */
  key?: string | KeySpec;
  columns: Partial<Record<string, string | ColumnSpec>>;
  skip_where?: Condition[];
};

export function readPreset(name: PresetName): Preset {
  return parse(readFileSync(new URL(`./presets/${name}.yaml`, import.meta.url), 'utf8')) as Preset;
}

/**
 * Merges the preset into a feed file, fills the defaults and checks what the parts demand of one another.
 * @returns the feed, or the faults
 */
export function resolveFeed(file: FeedFile, path: string): Feed | Issue[] {
  const preset = file.preset === undefined ? null : readPreset(file.preset);
  const issues: Issue[] = [];
  const report: Report = (at, message) => {
    issues.push({ path: at.split('.').map(part => (/^\d+$/.test(part) ? Number(part) : part)), message });
  };
  if (preset && preset.kind !== file.kind) {
    report('preset', `${file.preset} is a preset for kind ${preset.kind}`);
    return issues;
  }
  issues.push(...strayIssues(file));
  const fips = file.fips === undefined ? null : Number(file.fips);
  const byRow = file.kind === 'assessor' || file.kind === 'listings';
  if (fips !== null && !isKnownCounty(fips) && !(byRow && isFormerCounty(fips)))
    report('fips', noSuchCounty(fips));
  const base: FeedBase = {
    name: file.name,
    title: file.title ?? null,
    attribution: file.attribution ?? null,
    licence: file.licence ?? null,
    fips,
    asOf: file.as_of ?? null,
    schedule: file.schedule ? { cron: file.schedule.cron, timezone: file.schedule.timezone ?? 'UTC' } : null,
    preset: file.preset ?? null,
    gates: gatesOf(file),
    file: path,
    baseDir: dirname(path),
    definition: file,
  };
  const feed = feedOf(file, base, preset, report);
  if (feed !== null) checkColumns(feed, report);
  return feed === null || issues.length > 0 ? issues : feed;
}

function feedOf(file: FeedFile, base: FeedBase, preset: Preset | null, report: Report): Feed | null {
  switch (file.kind) {
    case 'assessor':
      return assessor(file, base, preset, report);
    case 'listings':
      return listings(file, base, preset, report);
    case 'elevation':
      return elevation(file, base, report);
    case 'imagery':
      return imagery(file, base, report);
    case 'contacts':
      return contacts(file, base, report);
    case 'numbering':
      return numbering(file, base, report);
    case 'dnc':
      return dnc(file, base, report);
    default:
      return layer(file.kind, file, base, report);
  }
}

/** Reports mappings that cannot work whatever the source holds. */
function checkColumns(feed: Feed, report: Report): void {
  if (feed.kind === 'elevation' || feed.kind === 'imagery' || feed.kind === 'dnc') return;
  const { roll, shape, listings, layer, contacts, numbering }: Partial<Record<Input, Mapped | null>> = feed;
  const further = feed.kind === 'assessor' ? feed.furtherRolls : [];
  const sections: Record<string, Mapped | null | undefined> = {
    ...{ roll, shape, listings, layer, contacts, numbering },
  };
  for (const [i, input] of further.entries()) sections[`roll.${i + 1}`] = input;
  for (const [section, input] of Object.entries(sections)) {
    for (const [name, spec] of Object.entries(input?.columns ?? {})) {
      const problem = spec ? columnProblem({ name, spec: targetSpec(feed.kind, name) }, spec) : null;
      if (problem !== null) report(`${section}.columns.${name}`, problem);
    }
  }
}

type Mapped = { columns: Partial<Record<string, ColumnSpec>> };

function assessor(file: FeedFile, base: FeedBase, preset: Preset | null, report: Report): Feed | null {
  const [first, ...others] = [file.roll ?? []].flat();
  if (!first) {
    report('kind', 'assessor needs a section roll: what to read and how it maps');
    return null;
  }
  const read = (section: RollFile, own: Preset | null, name: string) =>
    parcelInput(section, own, { name, fips: base.fips }, report);
  const roll = read(first, preset, others.length > 0 ? 'roll.0' : 'roll');
  const further = others.map((section, i) => read(section, null, `roll.${i + 1}`));
  const shape = file.shape ? read(file.shape, null, 'shape') : null;
  const sales = file.sales ? salesOf(file, file.sales) : null;
  if (!roll || further.includes(null)) return null;
  const furtherRolls = further.filter(input => input !== null);
  const inputs = {
    roll,
    ...Object.fromEntries(furtherRolls.map((input, i) => [`roll.${i + 1}`, input])),
    shape,
  };
  for (const [section, input] of Object.entries(inputs)) {
    if (input && base.fips === null && !input.columns.fips)
      report(section, `no county: give fips for the whole feed, or map ${section}.columns.fips`);
  }
  const dated = [roll, ...furtherRolls].some(
    ({ columns }) => columns.last_sale_date && columns.last_sale_price,
  );
  for (const field of ['last_sale_date', 'last_sale_price'] as const) {
    if (sales && !dated && !roll.columns[field]) report('sales', `needs roll.columns.${field}`);
  }
  return { ...base, kind: 'assessor', roll, furtherRolls, shape, sales };
}

function listings(file: FeedFile, base: FeedBase, preset: Preset | null, report: Report): Feed | null {
  if (!file.listings) {
    report('kind', 'listings needs a section listings: what to read and how it maps');
    return null;
  }
  const section = listingInput(file, file.listings, preset);
  for (const field of ['source_id', 'status'] as const) {
    if (!section.columns[field]) report('listings', `columns.${field} is required`);
  }
  // A RESO run fetches what changed: the rest would be taken for gone.
  if (section.snapshot && section.input.format === 'reso')
    report('listings.snapshot', 'must be false for format reso');
  if (!section.columns.list_price && !section.columns.sold_price)
    report('listings', 'columns.list_price or columns.sold_price is required');
  return { ...base, kind: 'listings', listings: section };
}

function parcelInput(
  section: RollFile,
  preset: Preset | null,
  { name, fips }: { name: string; fips: number | null },
  report: Report,
): ParcelInput | null {
  const key = section.key ?? preset?.key;
  if (key === undefined) {
    report(name, 'needs a key: the columns that identify a parcel');
    return null;
  }
  return {
    input: {
      ...inputSpec(section),
      ...wantedPart(section, fips, 'parcels', message => report(`${name}.within`, message)),
    },
    key: typeof key === 'string' ? { columns: [key] } : (key satisfies KeySpec),
    columns: mergeColumns<ParcelTarget>(preset?.columns ?? {}, section.columns ?? {}),
    skipWhere: skipConditions(preset, section),
  };
}

function listingInput(file: FeedFile, section: ListingsFile, preset: Preset | null): ListingInput {
  return {
    input: inputSpec(section),
    columns: mergeColumns<ListingField>(preset?.columns ?? {}, section.columns ?? {}),
    skipWhere: skipConditions(preset, section),
    fips: file.fips === undefined ? null : Number(file.fips),
    label: section.label ?? file.title ?? file.name,
    snapshot: section.snapshot ?? section.format !== 'reso',
  };
}

function skipConditions(preset: Preset | null, section: RollFile | ListingsFile): SkipCondition[] {
  const inherited = preset?.skip_where ?? [];
  return [...inherited.map(test => ({ ...test, optional: true })), ...(section.skip_where ?? [])];
}

function salesOf(file: FeedFile, sales: NonNullable<FeedFile['sales']>): Sales {
  return {
    label: sales.label ?? file.title ?? file.name,
    where: sales.where ?? [],
    minPrice: sales.min_price ?? 1,
    saleType: sales.sale_type ?? '',
    prior: (sales.prior ?? []).map(({ where = [], ...columns }) => ({
      columns: mergeColumns({}, columns),
      where,
    })),
  };
}

function gatesOf({ kind, gates }: FeedFile): Gates {
  const all = { ...GATE_DEFAULTS, ...gates } as Gates;
  // Tiles beyond the coverage say nothing false: an index may list those of a whole state.
  return kind === 'elevation' || kind === 'imagery' ? { ...all, max_outside_coverage_percent: 100 } : all;
}
