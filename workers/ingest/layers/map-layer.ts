import type { Position } from '../../../shared/geo/geometry-types.ts';
import {
  MTFCC_CLASSES,
  MTFCC_WATER,
  PLACE_GROUPS,
  WATER_CLASSES,
} from '../../../shared/model/land-layers.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { LayerInput } from '../../feeds/feed.ts';
import { targetSpec } from '../feed-schema.ts';
import {
  LAYER_DEFAULTS,
  LAYER_FIELD_NAMES,
  type LayerField,
  REQUIRED_ONE_OF,
  type VectorKind,
} from './layer-schema.ts';
import { tidyText } from '../../feeds/values/text-value.ts';
import type { Value } from '../../feeds/values/value-parser.ts';
import type { SourceRow } from '../../formats/row-batch.ts';
import { compileColumn } from '../engine/map-column.ts';
import {
  compileFill,
  type MappedRow,
  type Mapper,
  mapperOf,
  type RejectedRow,
  rejectRow,
} from '../engine/map-fields.ts';
import { columnsOf, type Resolve, resolver } from '../engine/source-columns.ts';

export type MappedFeature = MappedRow & {
  /**
   * What is stored of it: a road's class, the NWI code, the flood zone; null for a feature
   * that does not count.
   */
  class: string | null;
  /** Its name in the counts by class. */
  label: string;
  /** Null where it has no name. */
  called: string | null;
  /** Of a place whose source has coordinates as columns. */
  at: Position | null;
};

type Classification = Pick<MappedFeature, 'class' | 'label'>;

/**
 * Compiles the mapping of a feed of a vector layer. A row is refused when nothing
 * tells what it is: a road without a class, or of one that the feed does not list; a flood zone without a
 * name, or that FEMA does not have.
 */
export function compileLayerMapper(kind: VectorKind, input: LayerInput): Mapper<MappedFeature> {
  const map = mapperOf(input, resolve => compile(kind, input, resolve));
  const prepare = (firstRows: readonly SourceRow[]): void => {
    map.prepare(firstRows);
    if (firstRows.length > 0) requireDecisive(kind, input, columnsOf(firstRows));
  };
  return Object.assign((row: SourceRow) => map(row), { prepare, mentions: map.mentions });
}

/**
 * The columns that a feed does not name itself may be missing, but not all that tell what a feature is.
 * @throws PlatError `feed_mapping`
 */
function requireDecisive(kind: VectorKind, { columns }: LayerInput, available: readonly string[]): void {
  const resolve = resolver(available);
  const isMapped = REQUIRED_ONE_OF[kind].some(name => {
    const spec = columns[name];
    return spec && compileColumn({ name, spec: targetSpec(kind, name) }, spec, resolve);
  });
  if (isMapped) return;
  const usual = REQUIRED_ONE_OF[kind].flatMap(name => usualColumns(LAYER_DEFAULTS[kind][name]));
  const has = available.slice(0, 20).join(', ') || 'none';
  throw new PlatError(
    'feed_mapping',
    `layer.columns: the source has no column ${usual.join(' or ')}; it has ${has}. Map ${REQUIRED_ONE_OF[kind].join(' or ')}.`,
  );
}

function usualColumns(spec: (typeof LAYER_DEFAULTS)[VectorKind][LayerField]): string[] {
  if (spec === undefined || typeof spec === 'string') return spec === undefined ? [] : [spec];
  return spec.first_of?.map(item => (typeof item === 'string' ? item : (item.column ?? ''))) ?? [];
}

function compile(kind: VectorKind, input: LayerInput, resolve: Resolve) {
  const names = LAYER_FIELD_NAMES[kind];
  const fill = compileFill(kind, input.columns, resolve);
  const classify = CLASSIFIERS[kind](names, rawReader(kind, input, resolve));
  const fieldOf = (values: readonly Value[], name: LayerField): Value => values[names.indexOf(name)] ?? null;

  return ({ values: source }: SourceRow) => {
    const { values, dropped } = fill(source);
    const [fault] = dropped ?? [];
    if (fault) return rejectRow(fault.field, fault.reason, fault.message);
    const verdict = classify(values as (string | null)[], source);
    if (verdict === null)
      return rejectRow(
        REQUIRED_ONE_OF[kind][0]!,
        'missing_class',
        `${REQUIRED_ONE_OF[kind].join(' and ')} are empty`,
      );
    if ('reason' in verdict) return verdict;
    const [lon, lat] = [fieldOf(values, 'longitude'), fieldOf(values, 'latitude')];
    return {
      ok: true as const,
      ...verdict,
      called: fieldOf(values, 'name') as string | null,
      at: lon === null || lat === null ? null : ([lon, lat] as Position),
      values,
      dropped,
    };
  };
}

/** The source's own class of a road, for the count of those that are left out. */
type RawReader = (source: Record<string, unknown>) => string | null;

function rawReader(kind: VectorKind, { columns }: LayerInput, resolve: Resolve): RawReader {
  const name = REQUIRED_ONE_OF[kind].find(field => columns[field]);
  const spec = name && columns[name];
  const column = spec && compileColumn({ name, spec: targetSpec(kind, name) }, spec, resolve);
  return source => (column ? tidyText(column.raw(source)) : null);
}

type Classifier = (
  values: readonly (string | null)[],
  source: Record<string, unknown>,
) => Classification | RejectedRow | null;

const CLASSIFIERS: Record<VectorKind, (names: readonly LayerField[], raw: RawReader) => Classifier> = {
  roads(names, raw) {
    const [ownClass, mtfcc] = [names.indexOf('class'), names.indexOf('mtfcc')];
    return (values, source) => {
      const code = values[mtfcc]?.toUpperCase();
      const roadClass = values[ownClass] ?? (code === undefined ? null : (MTFCC_CLASSES[code] ?? 'none'));
      if (roadClass === null) return null;
      return roadClass === 'none'
        ? { class: null, label: raw(source) ?? 'none' }
        : { class: roadClass, label: roadClass };
    };
  },
  wetlands(names) {
    const [attribute, type] = [names.indexOf('attribute'), names.indexOf('type')];
    return values => wetland(values[attribute] ?? null, values[type] ?? null);
  },
  flood(names) {
    const [zone, subtype, sfha] = [names.indexOf('zone'), names.indexOf('subtype'), names.indexOf('sfha')];
    return values => floodZone(values[zone] ?? null, values[subtype] ?? null, values[sfha] ?? null);
  },
  water(names) {
    const [ownClass, mtfcc] = [names.indexOf('class'), names.indexOf('mtfcc')];
    return values =>
      waterClass(values[ownClass]?.toLowerCase() ?? null, values[mtfcc]?.toUpperCase() ?? null);
  },
  places(names) {
    const [ownClass, name] = [names.indexOf('class'), names.indexOf('name')];
    return values => placeClass(values[ownClass] ?? null, values[name] ?? null);
  },
  zips:
    () =>
    ([zip]) =>
      zip == null ? null : { class: zip, label: 'ZIP area' },
};

function waterClass(own: string | null, code: string | null): Classification | RejectedRow | null {
  if (own === null && code === null) return null;
  if (own !== null && !(WATER_CLASSES as readonly string[]).includes(own))
    return unknown('class', own, `none of ${WATER_CLASSES.join(', ')}`);
  const found = own ?? MTFCC_WATER[code!] ?? null;
  return { class: found, label: found ?? code! };
}

/** GNIS marks what is no longer there by a word behind its name. */
function placeClass(own: string | null, name: string | null): Classification | RejectedRow | null {
  if (own === null) return null;
  if (name === null) return rejectRow('name', 'missing_name', 'name is empty');
  if (/\(historical\)$/i.test(name)) return { class: null, label: 'historical' };
  return { class: PLACE_GROUPS.has(own) ? own : null, label: own };
}

/**
 * Systems by the first letter of a code: Cowardin et al. 1979,
 * https://www.fws.gov/program/national-wetlands-inventory
 */
const SYSTEMS: Record<string, string> = {
  M: 'marine',
  E: 'estuarine',
  R: 'riverine',
  L: 'lacustrine',
  P: 'palustrine',
};

/** All features of the inventory count, including lakes, rivers and those without a code; uplands do not. */
function wetland(attribute: string | null, type: string | null): Classification {
  const system = attribute?.charAt(0).toUpperCase();
  if (system === 'U' || (attribute === null && /^upland/i.test(type ?? '')))
    return { class: null, label: 'upland' };
  const label = type ?? (system === undefined ? 'unlabelled' : (SYSTEMS[system] ?? 'other'));
  return { class: attribute ?? type ?? 'unlabelled', label };
}

/** The numbered zones, which have 1 to 30 only; policies and claims write the first nine with a zero. */
const ONE_TO_30 = '(?:0?[1-9]|[12]\\d|30)';

/**
 * Zones of the special flood hazard area: A, V, AE, AH, AO, VE, VO, AR and its doubles, A99, and the numbered
 * ones (44 CFR 59.1).
 */
const HAZARD = new RegExp(
  `^(?:A99|AR|(?:AR/)?A(?:[EHO]|${ONE_TO_30}|1-A?30)?|V(?:[EO]|${ONE_TO_30}|1-V?30)?)$`,
);

/**
 * Zones outside it: those of 44 CFR 64.3 (X, B, C, D; M, N and P of special, moderate and undetermined
 * mudslide hazards, E of erosion), those of the National Flood Hazard Layer (open water, areas not included,
 * NP), those of the Q3 flood data (X500, ANI, UNDES, 100IC, 500IC, FWIC, FPQ), and the ways in which
 * communities write X: after its share a year, shaded or not, behind a levee.
 */
const NO_HAZARD = new RegExp(
  `^(?:${[
    'X\\d*L?|X[ ,(/_-].*|XFUT|(?:UN)?SHADED X|[BCDEMNP]',
    'NP|ANI|UNDES|100IC|500IC|FWIC|FPQ|OUT|OPEN WATER|NONE|AREAS? NOT INCLUDED|NOT (?:INCLUDED|POPULATED|MAPPED|STUDIED)',
    '(?:0?\\.2|500).*|1 ?(?:%|PCT|PERCENT) FUTURE.*|FUTURE.*|AREAS? (?:OF|WITH) (?:MINIMAL|MODERATE|REDUCED|UNDETERMINED).*',
  ].join('|')})$`,
);

const YES = new Set(['T', 'TRUE', 'Y', 'YES', 'IN', '1']);
const NO = new Set(['F', 'FALSE', 'N', 'NO', 'OUT', '0']);
/** Values of the flag that mean unknown: not populated, and FEMA's placeholders. */
const UNKNOWN_CLASS = new Set(['U', 'UNK', 'UNKNOWN', 'UNDES', 'ANI', 'NP', '-8888', '-9999']);

/**
 * The flag of the hazard area decides where it is given, else the zone. @returns null when both are empty;
 * refused `unknown_zone`
 */
function floodZone(
  zone: string | null,
  subtype: string | null,
  sfha: string | null,
): Classification | RejectedRow | null {
  const flag = sfha?.toUpperCase() ?? null;
  const flagged = flag === null ? null : YES.has(flag) ? true : NO.has(flag) ? false : null;
  if (flag !== null && flagged === null && !UNKNOWN_CLASS.has(flag))
    return unknown('sfha', sfha!, 'neither T nor F, nor IN or OUT');
  if (zone === null && flagged === null) return null;
  const name = zone?.toUpperCase() ?? (flagged ? 'SFHA' : 'OUT');
  const counts = flagged ?? HAZARD.test(name);
  if (flagged === null && !counts && !NO_HAZARD.test(name))
    return unknown('zone', zone!, 'no flood zone of FEMA');
  return { class: counts ? name : null, label: subtype === null ? name : `${name}, ${subtype}` };
}

function unknown(field: string, text: string, what: string): RejectedRow {
  const remedy = `Map it with layer.columns.${field}.values, or leave it out with layer.skip_where.`;
  return rejectRow(
    field,
    `unknown_${field === 'class' ? 'class' : 'zone'}`,
    `'${text}' is ${what}. ${remedy}`,
  );
}
