import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parse } from 'yaml';
import type { Input } from '../../shared/feeds/ingest-runs.ts';
import type { ListingField } from '../../shared/model/listing-fields.ts';
import { isFormerCounty } from '../../shared/regions/connecticut.ts';
import { type InputSection, readWindow } from '../formats/format-input.ts';
import type { ColumnSpec, Condition, KeySpec } from '../feeds/column-schema.ts';
import type { DeedColumns, Feed, FeedBase, ParcelInput, Sales, SkipCondition } from '../feeds/feed.ts';
import { columnProblem, mappedInput, mergeColumns } from '../feeds/feed-columns.ts';
import {
  type FeedFile,
  GATE_DEFAULTS,
  GATE_KINDS,
  type Gates,
  type ParcelTarget,
  type PresetName,
  type RollFile,
  targetSpec,
} from './feed-schema.ts';
import type { Issue, Report } from '../feeds/locate-faults.ts';
import type { ChangeColumn } from '../feeds/phone-schema.ts';
import { elevation, imagery, layer } from './layers/resolve-layer.ts';
import type { SalesFile } from '../feeds/sales-schema.ts';
import { isKnownCounty, noSuchCounty } from '../feeds/values/place-value.ts';

/** A known schema, written like the section of a feed file. Feeds that name it need only say what to read. */
export type Preset = {
  kind: 'assessor' | 'listings';
  /** Of kind assessor, and of a file of sales. */
  key?: string | KeySpec;
  /** How the source is written, where it does not say so itself. */
  input?: Partial<InputSection>;
  columns: Partial<Record<string, string | ColumnSpec>>;
  skip_where?: Condition[];
  sales?: SalesFile;
};

export const readPreset = (name: PresetName): Preset =>
  parse(readFileSync(new URL(`../feeds/presets/${name}.yaml`, import.meta.url), 'utf8')) as Preset;

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
  const { section, holds } = OWN_SECTION[file.kind] ?? { section: 'layer', holds: MAPPED };
  if (file[section] === undefined) report('kind', `${file.kind} needs a section ${section}: ${holds}`);
  else {
    const feed = feedOf(file, base, preset, report);
    if (feed !== null) checkColumns(feed, report);
    if (feed !== null && issues.length === 0) return feed;
  }
  return issues;
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

function checkColumns(feed: Feed, report: Report): void {
  if (feed.kind === 'elevation' || feed.kind === 'imagery' || feed.kind === 'dnc') return;
  const { roll, shape, listings, layer, contacts, numbering }: Partial<Record<Input, Mapped | null>> = feed;
  const further = feed.kind === 'assessor' ? feed.furtherRolls : [];
  const sections: Record<string, Mapped | null | undefined> = {
    roll,
    shape,
    listings,
    layer,
    contacts,
    numbering,
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
  const [first, ...others] = [file.roll!].flat();
  const read = (section: RollFile, own: Preset | null, name: string): ParcelInput | null => {
    const key = section.key ?? own?.key;
    if (key === undefined) {
      report(name, 'needs a key: the columns that identify a parcel');
      return null;
    }
    const refuse = (message: string) => report(`${name}.within`, message);
    const within = readWindow(section, base.fips, 'parcels', refuse);
    const input = mappedInput<ParcelTarget>(section, own, within);
    if (base.fips === null && !input.columns.fips)
      report(
        name === 'roll.0' ? 'roll' : name,
        `no county: give fips for the whole feed, or map ${name === 'roll.0' ? 'roll' : name}.columns.fips`,
      );
    reportPlace(input.columns, name, file.shape !== undefined, report);
    return { ...input, key: typeof key === 'string' ? { columns: [key] } : key };
  };
  const roll = read(first!, preset, others.length > 0 ? 'roll.0' : 'roll');
  const further = others.map((section, i) => read(section, null, `roll.${i + 1}`));
  const shape = file.shape ? read(file.shape, null, 'shape') : null;
  const furtherRolls = further.filter(input => input !== null);
  if (!roll || furtherRolls.length < further.length) return null;
  const dated = [roll, ...furtherRolls].some(
    ({ columns }) => columns.last_sale_date && columns.last_sale_price,
  );
  for (const field of ['last_sale_date', 'last_sale_price'] as const)
    if (file.sales && !dated && !roll.columns[field]) report('sales', `needs roll.columns.${field}`);
  const sales = dated ? salesOf(file, preset) : null;
  return { ...base, kind: 'assessor', roll, furtherRolls, shape, sales, overlap: file.overlap ?? 'block' };
}

/** Longitude and latitude come together, and place the parcels where nothing else does. */
function reportPlace(
  { longitude, latitude }: ParcelInput['columns'],
  section: string,
  hasShape: boolean,
  report: Report,
): void {
  if (Boolean(longitude) !== Boolean(latitude))
    report(`${section}.columns`, 'map both longitude and latitude, or neither');
  else if (longitude && hasShape)
    report(`${section}.columns.longitude`, 'leave out longitude and latitude: `shape` places the parcels');
}

function listings(file: FeedFile, base: FeedBase, preset: Preset | null, report: Report): Feed {
  const section = file.listings!;
  const within = readWindow(section, base.fips, 'parcels', message => report('listings.within', message));
  const input = mappedInput<ListingField>({ ...preset?.input, ...section }, preset, within);
  const label = labelOf(file, section);
  const sales = salesOf(file, preset);
  const key = section.key ?? (sales ? preset?.key : undefined);
  if (sales || key !== undefined) {
    if (key === undefined) report('listings', 'sales need a key: the columns that identify the parcel sold');
    if (!sales) report('listings.key', 'needs a section sales: which of the rows are comps');
    for (const field of ['sold_date', 'sold_price'] as const)
      if (!input.columns[field]) report('listings', `columns.${field} is required`);
    const recorded =
      sales && key !== undefined ? { key: typeof key === 'string' ? { columns: [key] } : key, sales } : null;
    return {
      ...base,
      kind: 'listings',
      listings: { ...input, fips: base.fips, label, snapshot: true, recorded },
    };
  }
  const snapshot = section.snapshot ?? section.format !== 'reso';
  for (const field of ['source_id', 'status'] as const)
    if (!input.columns[field]) report('listings', `columns.${field} is required`);
  // A RESO run fetches what changed: the rest would be taken for gone.
  if (snapshot && section.format === 'reso') report('listings.snapshot', 'must be false for format reso');
  if (!input.columns.list_price && !input.columns.sold_price)
    report('listings', 'columns.list_price or columns.sold_price is required');
  return {
    ...base,
    kind: 'listings',
    listings: { ...input, fips: base.fips, label, snapshot, recorded: null },
  };
}

const labelOf = ({ title, name }: FeedFile, { label }: { label?: string | undefined }): string =>
  label ?? title ?? name;

function contacts(file: FeedFile, base: FeedBase, report: Report): Feed {
  const section = file.contacts!;
  const { columns } = section;
  const named = columns.name || columns.entity_name || (columns.first_name && columns.last_name);
  if (!named) report('contacts.columns', 'map name, entity_name, or first_name and last_name');
  if (!columns.zip && !(columns.city && columns.state))
    report('contacts.columns', 'map zip, or city and state');
  if (!columns.phone_1) report('contacts.columns', 'map phone_1');
  return { ...base, kind: 'contacts', contacts: { ...mappedInput(section), label: labelOf(file, section) } };
}

function numbering({ numbering: section }: FeedFile, base: FeedBase, report: Report): Feed {
  const { columns } = section!;
  for (const field of ['area_code', 'exchange'] as const)
    if (!columns[field]) report('numbering', `columns.${field} is required`);
  if (!columns.line_type && !columns.operator)
    report('numbering', 'columns.line_type or columns.operator is required');
  return { ...base, kind: 'numbering', numbering: mappedInput(section!) };
}

const USUAL: ChangeColumn[] = ['area_code', 'number', 'date', 'action'];

function dnc({ dnc: section }: FeedFile, base: FeedBase, report: Report): Feed {
  const { source, list = 'full', columns = USUAL, edition = null } = section!;
  const tells = columns.includes('phone') || (columns.includes('area_code') && columns.includes('number'));
  if (!tells || !columns.includes('action'))
    report('dnc.columns', 'needs action, and phone or area_code with number');
  return { ...base, kind: 'dnc', dnc: { sources: [source].flat(), list, edition, columns } };
}

/** The sales of a feed and of its preset, property by property; null where none are there or wanted. */
function salesOf(file: FeedFile, preset: Preset | null): Sales | null {
  if (file.sales === null || (file.sales ?? preset?.sales) === undefined) return null;
  const [own, inherited] = [file.sales ?? {}, preset?.sales ?? {}];
  const sales = { ...inherited, ...own };
  const isOptional = (name: keyof SalesFile) => own[name] === undefined;
  return {
    label: labelOf(file, sales),
    where: conditionsOf(sales.where, isOptional('where')),
    minPrice: sales.min_price ?? 1,
    saleType: sales.sale_type ?? '',
    deed: deedOf(sales, isOptional('book'), isOptional('multi_parcel')),
    prior: (sales.prior ?? []).map(({ date, price, where, ...deed }) => {
      const optional = isOptional('prior');
      const columns = columnsOf({ date, price }, optional);
      return { columns, deed: deedOf(deed, optional, optional), where: conditionsOf(where, optional) };
    }),
  };
}

/** Columns of a preset may be missing in a source, those of a feed file not. */
const columnsOf = <K extends string>(
  columns: Partial<Record<K, string | ColumnSpec | null | undefined>>,
  optional: boolean,
) => (optional ? mergeColumns(columns, {}) : mergeColumns({}, columns));

const conditionsOf = (conditions: readonly Condition[] = [], optional: boolean): SkipCondition[] =>
  conditions.map(test => (optional ? { ...test, optional } : test));

function deedOf(
  { book, multi_parcel }: Pick<SalesFile, 'book' | 'multi_parcel'>,
  bookOptional: boolean,
  marksOptional: boolean,
): DeedColumns {
  const columns = columnsOf({ book }, bookOptional);
  return { book: columns.book ?? null, multiParcel: conditionsOf(multi_parcel, marksOptional) };
}

function gatesOf({ kind, gates }: FeedFile): Gates {
  const all = { ...GATE_DEFAULTS, ...gates } as Gates;
  // Tiles beyond the coverage say nothing false: an index may list those of a whole state.
  return kind === 'elevation' || kind === 'imagery' ? { ...all, max_outside_coverage_percent: 100 } : all;
}

const VECTOR: Feed['kind'][] = ['roads', 'wetlands', 'flood', 'water', 'places', 'zips'];
const MAPPED = 'what to read and how it maps';

type Own = { section: Input; holds: string };

/** Where the source of a kind stands: the land layers' in `layer`, but for these. */
const OWN_SECTION: Partial<Record<Feed['kind'], Own>> = {
  assessor: { section: 'roll', holds: MAPPED },
  listings: { section: 'listings', holds: MAPPED },
  elevation: { section: 'elevation', holds: 'which files to read' },
  imagery: { section: 'imagery', holds: 'which files or server to read' },
  contacts: { section: 'contacts', holds: MAPPED },
  numbering: { section: 'numbering', holds: MAPPED },
  dnc: { section: 'dnc', holds: 'what to read' },
};

const SECTION_KINDS: Record<string, Feed['kind'][]> = {
  roll: ['assessor'],
  shape: ['assessor'],
  overlap: ['assessor'],
  sales: ['assessor', 'listings'],
  listings: ['listings'],
  layer: VECTOR,
  elevation: ['elevation'],
  imagery: ['imagery'],
  coverage: [...VECTOR, 'elevation', 'imagery'],
  contacts: ['contacts'],
  numbering: ['numbering'],
  dnc: ['dnc'],
};

/** Sections and gates that stand in a file of another kind, where nothing would read them. */
export function strayIssues({ kind, gates, ...file }: FeedFile): Issue[] {
  const isLand = SECTION_KINDS.coverage!.includes(kind);
  const sections = Object.entries(SECTION_KINDS).flatMap(([section, kinds]): Issue[] => {
    if (file[section as keyof typeof file] === undefined || kinds.includes(kind)) return [];
    const belongs = `belongs to kind ${kinds.join(', ').replace(/, (\w+)$/, ' or $1')}`;
    // Of land layers one section is easily taken for the other.
    const own = isLand && /^(layer|elevation|imagery)$/.test(section);
    const remedy = `; a feed of kind ${kind} has a section ${OWN_SECTION[kind]?.section ?? 'layer'}`;
    return [{ path: [section], message: own ? belongs + remedy : belongs }];
  });
  const strays = Object.keys(gates ?? {}).filter(
    gate => GATE_KINDS[gate as keyof Gates]?.includes(kind) === false,
  );
  return [
    ...sections,
    ...strays.map(gate => ({ path: ['gates', gate], message: `does not apply to kind ${kind}` })),
  ];
}
