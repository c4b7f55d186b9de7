import { ROAD_CLASSES, ROAD_REACH_M, type RoadReach } from '../../shared/domain/land.ts';
import { mergeColumns } from './columns.ts';
import type { FeedFile } from './definition.ts';
import type { ElevationFeed, ElevationInput, Feed, FeedBase, LayerFeed, LayerInput } from './feed.ts';
import { inputSpec } from './input-schema.ts';
import {
  DECISIVE,
  LAYER_DEFAULTS,
  LAYER_FIELDS,
  type LayerField,
  type LayerFile,
  type VectorKind,
} from './layer-schema.ts';
import type { Issue, Report } from './locate.ts';

/** Formats whose rows have no geometry. */
const WITHOUT_GEOMETRY = new Set(['csv', 'dbf', 'ndjson', 'reso']);

/** A feed of roads, wetlands or flood zones from its file, or null with what is wrong reported. */
export function layer(kind: VectorKind, file: FeedFile, base: FeedBase, report: Report): LayerFeed | null {
  const section = file.layer;
  if (!section) {
    report('kind', `${kind} needs a section layer: what to read and how it maps`);
    return null;
  }
  if (WITHOUT_GEOMETRY.has(section.format)) {
    report(
      'layer.format',
      `${section.format} has no geometry; give geojson, ndgeojson, shapefile or flatgeobuf`,
    );
  }
  if (section.reach && kind !== 'roads') report('layer.reach', 'belongs to kind roads');
  for (const name of Object.keys(section.columns ?? {})) {
    if (name in LAYER_FIELDS[kind]) continue;
    const own = Object.keys(LAYER_FIELDS[kind]).join(', ');
    report(`layer.columns.${name}`, `is no field of ${kind}, which has ${own}`);
  }
  const input: LayerInput = {
    input: inputSpec(section),
    columns: columnsOf(kind, section),
    skipWhere: section.skip_where ?? [],
  };
  if (!DECISIVE[kind].some(name => input.columns[name])) {
    report('layer.columns', `nothing tells what a feature is: map ${DECISIVE[kind].join(' or ')}`);
  }
  return {
    ...base,
    kind,
    layer: input,
    coverage: file.coverage ?? null,
    reachM: kind === 'roads' ? reachOf(section) : null,
  };
}

/** A road's class is the feed's own or TIGER's; a source with a class need not have the other column. */
function columnsOf(kind: VectorKind, { columns = {} }: LayerFile): LayerInput['columns'] {
  const defaults = kind === 'roads' && columns.class ? {} : LAYER_DEFAULTS[kind];
  return mergeColumns<LayerField>(defaults, columns);
}

function reachOf({ reach }: LayerFile): RoadReach {
  const metres = ROAD_CLASSES.map(name => [name, reach?.[name] ?? ROAD_REACH_M[name]] as const);
  return Object.fromEntries(metres) as RoadReach;
}

/** A feed of elevation from its file, or null with what is wrong reported. */
export function elevation(file: FeedFile, base: FeedBase, report: Report): ElevationFeed | null {
  const section = file.elevation;
  if (!section) {
    report('kind', 'elevation needs a section elevation: which files to read');
    return null;
  }
  const { source, template, bounds, index, crs, vertical_unit: unit, nodata } = section;
  const given = Object.entries({ source, template, index }).filter(([, value]) => value !== undefined);
  if (given.length !== 1) {
    const names = given.map(([name]) => name).join(' and ');
    const message = names === '' ? 'give source, template or index' : `gives ${names}; give one of them`;
    report('elevation', message);
  }
  if ((template === undefined) !== (bounds === undefined)) {
    const message = template === undefined ? 'belongs to template' : 'needs bounds: whose tiles are wanted';
    report(`elevation.${template === undefined ? 'bounds' : 'template'}`, message);
  }
  if (template !== undefined && !template.includes('{tile}'))
    report('elevation.template', 'lacks {tile}, for which the name of each tile stands');
  const input: ElevationInput = {
    tiles: tilesOf(source, template, bounds, index),
    ...(crs !== undefined && { crs }),
    ...(unit !== undefined && { unit }),
    ...(nodata !== undefined && { nodata }),
  };
  return { ...base, kind: 'elevation', elevation: input, coverage: file.coverage ?? null };
}

function tilesOf(
  source: string | string[] | undefined,
  template: string | undefined,
  bounds: [number, number, number, number] | undefined,
  index: string | undefined,
): ElevationInput['tiles'] {
  if (template !== undefined && bounds !== undefined) return { by: 'template', template, bounds };
  return index === undefined ? { by: 'source', sources: [source ?? []].flat() } : { by: 'index', index };
}

/** Sections and gates that stand in a file of another kind, where nothing would read them. */
export function strayIssues(file: FeedFile): Issue[] {
  const sections = Object.entries(SECTION_KINDS).flatMap(([section, kinds]): Issue[] => {
    if (file[section as keyof FeedFile] === undefined || kinds.includes(file.kind)) return [];
    const belongs = `belongs to kind ${kinds.join(', ').replace(/, (\w+)$/, ' or $1')}`;
    const own = section === 'layer' || section === 'elevation' ? OWN_SECTION[file.kind] : undefined;
    return [
      {
        path: [section],
        message: own ? `${belongs}; a feed of kind ${file.kind} has a section ${own}` : belongs,
      },
    ];
  });
  const gates = Object.entries(GATE_KINDS).flatMap(([gate, kinds]): Issue[] =>
    file.gates?.[gate as keyof typeof file.gates] !== undefined && !kinds.includes(file.kind)
      ? [{ path: ['gates', gate], message: `does not apply to kind ${file.kind}` }]
      : [],
  );
  return [...sections, ...gates];
}

const VECTOR: Feed['kind'][] = ['roads', 'wetlands', 'flood'];

/** Where the source of a land layer stands; one is easily taken for the other. */
const OWN_SECTION: Partial<Record<Feed['kind'], string>> = {
  ...{ roads: 'layer', wetlands: 'layer', flood: 'layer' },
  elevation: 'elevation',
};

const SECTION_KINDS: Record<string, Feed['kind'][]> = {
  roll: ['assessor'],
  shape: ['assessor'],
  sales: ['assessor'],
  listings: ['listings'],
  layer: VECTOR,
  elevation: ['elevation'],
  coverage: [...VECTOR, 'elevation'],
  contacts: ['contacts'],
  numbering: ['numbering'],
  dnc: ['dnc'],
};

const GATE_KINDS: Record<string, Feed['kind'][]> = {
  max_key_drop_percent: ['assessor', 'listings'],
  max_acreage_off_percent: ['assessor'],
  max_outside_coverage_percent: VECTOR,
  max_coverage_drop_percent: [...VECTOR, 'elevation'],
  max_coverage_growth_percent: VECTOR,
  max_outside_percent: ['assessor', 'listings', ...VECTOR, 'elevation'],
  empty_columns: ['assessor', 'listings', ...VECTOR, 'contacts', 'numbering'],
};
