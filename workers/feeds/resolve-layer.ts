import { ROAD_CLASSES, ROAD_REACH_M, type RoadReach } from '../../shared/domain/land.ts';
import { mergeColumns } from './columns.ts';
import type { FeedFile } from './definition.ts';
import type {
  ElevationFeed,
  ElevationInput,
  Feed,
  FeedBase,
  Files,
  ImageryFeed,
  ImageryInput,
  LayerFeed,
  LayerInput,
} from './feed.ts';
import { inputSpec, wantedPart } from './input-schema.ts';
import {
  DECISIVE,
  type FilesSection,
  type ImageryFile,
  LAYER_DEFAULTS,
  LAYER_FIELDS,
  type LayerField,
  type LayerFile,
  type VectorKind,
} from './layer-schema.ts';
import type { Issue, Report } from './locate.ts';

/** Formats whose rows have no geometry. */
const WITHOUT_GEOMETRY = new Set(['csv', 'dbf', 'ndjson', 'reso', 'fixed_width', 'xlsx', 'access']);

/** A feed of roads, wetlands, flood zones or ZIP areas from its file, or null with what is wrong reported. */
export function layer(kind: VectorKind, file: FeedFile, base: FeedBase, report: Report): LayerFeed | null {
  const section = file.layer;
  if (!section) {
    report('kind', `${kind} needs a section layer: what to read and how it maps`);
    return null;
  }
  if (WITHOUT_GEOMETRY.has(section.format)) {
    report(
      'layer.format',
      `${section.format} has no geometry; give another format, such as geojson, shapefile or geopackage`,
    );
  }
  if (section.reach && kind !== 'roads') report('layer.reach', 'belongs to kind roads');
  for (const name of Object.keys(section.columns ?? {})) {
    if (name in LAYER_FIELDS[kind]) continue;
    const own = Object.keys(LAYER_FIELDS[kind]).join(', ');
    report(`layer.columns.${name}`, `is no field of ${kind}, which has ${own}`);
  }
  const input: LayerInput = {
    input: {
      ...inputSpec(section),
      ...wantedPart(section, base.fips, 'features', message => report('layer.within', message)),
    },
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
  const { crs, vertical_unit: unit, nodata } = section;
  const input: ElevationInput = {
    tiles: filesOf('elevation', section, report),
    ...(crs !== undefined && { crs }),
    ...(unit !== undefined && { unit }),
    ...(nodata !== undefined && { nodata }),
  };
  return { ...base, kind: 'elevation', elevation: input, coverage: file.coverage ?? null };
}

/** Properties of imagery that only some types have. */
const OF_TYPES: Partial<Record<keyof ImageryFile, ImageryFile['type'][]>> = {
  source: ['cog', 'arcgis_image'],
  template: ['cog', 'xyz'],
  ...{ bounds: ['cog'], index: ['cog'], crs: ['cog'], range: ['cog'] },
  ...{ max_zoom: ['xyz'], tile_size: ['xyz'] },
  ...{ headers: ['xyz', 'arcgis_image'], private_network: ['cog', 'xyz', 'arcgis_image'] },
  captured: ['cog', 'xyz', 'arcgis_image'],
};

/** A feed of imagery from its file, or null with what is wrong reported. */
export function imagery(file: FeedFile, base: FeedBase, report: Report): ImageryFeed | null {
  const section = file.imagery;
  if (!section) {
    report('kind', 'imagery needs a section imagery: which files or server to read');
    return null;
  }
  for (const [name, types] of Object.entries(OF_TYPES)) {
    const isStray = section[name as keyof ImageryFile] !== undefined && !types.includes(section.type);
    if (isStray) report(`imagery.${name}`, `belongs to type ${types.join(' or ')}`);
  }
  const needsCoverage = section.type === 'xyz' || section.type === 'relief';
  if (needsCoverage && file.coverage === undefined && base.fips === null)
    report('imagery.type', `${section.type} does not say where it is: give coverage, or fips`);
  return {
    ...base,
    kind: 'imagery',
    imagery: imageryInput(section, report),
    coverage: file.coverage ?? null,
  };
}

function imageryInput(section: ImageryFile, report: Report): ImageryInput {
  const { type, source, template, crs, range, max_zoom, tile_size, headers = {} } = section;
  const captured = section.captured ?? null;
  if (type === 'relief') return { type, captured };
  if (type === 'cog') {
    const tiles = filesOf('imagery', section, report);
    return {
      type,
      captured,
      tiles,
      ...(crs !== undefined && { crs }),
      ...(range !== undefined && { range }),
    };
  }
  if (type === 'xyz') {
    const lacking = ['{z}', '{x}', '{y}'].filter(part => !template?.includes(part));
    if (template === undefined || !isAddress(template.replace(/[{}]/g, '')))
      report('imagery.type', 'xyz needs a template: the http(s) address of a tile with {z}, {x} and {y}');
    else if (lacking.length > 0) report('imagery.template', `lacks ${lacking.join(', ')}`);
    return {
      type,
      captured,
      template: template ?? '',
      maxZoom: max_zoom ?? 18,
      tileSize: tile_size ?? 256,
      headers,
    };
  }
  const isServer = typeof source === 'string' && isAddress(source);
  if (!isServer) report('imagery.type', 'arcgis_image needs a source: the http(s) address of an ImageServer');
  return { type, captured, address: isServer ? source : '', headers };
}

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

/** The files that a section names, in one of three ways; what is wrong is reported. */
function filesOf(name: string, { source, template, bounds, index }: FilesSection, report: Report): Files {
  const given = Object.entries({ source, template, index }).filter(([, value]) => value !== undefined);
  if (given.length !== 1) {
    const names = given.map(([property]) => property).join(' and ');
    const message = names === '' ? 'give source, template or index' : `gives ${names}; give one of them`;
    report(name, message);
  }
  if ((template === undefined) !== (bounds === undefined)) {
    const message = template === undefined ? 'belongs to template' : 'needs bounds: whose tiles are wanted';
    report(`${name}.${template === undefined ? 'bounds' : 'template'}`, message);
  }
  if (template !== undefined && !template.includes('{tile}'))
    report(`${name}.template`, 'lacks {tile}, for which the name of each tile stands');
  if (template !== undefined && bounds !== undefined) return { by: 'template', template, bounds };
  return index === undefined ? { by: 'source', sources: [source ?? []].flat() } : { by: 'index', index };
}

/** Sections and gates that stand in a file of another kind, where nothing would read them. */
export function strayIssues(file: FeedFile): Issue[] {
  const sections = Object.entries(SECTION_KINDS).flatMap(([section, kinds]): Issue[] => {
    if (file[section as keyof FeedFile] === undefined || kinds.includes(file.kind)) return [];
    const belongs = `belongs to kind ${kinds.join(', ').replace(/, (\w+)$/, ' or $1')}`;
    const own =
      section === 'layer' || section === 'elevation' || section === 'imagery'
        ? OWN_SECTION[file.kind]
        : undefined;
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

const VECTOR: Feed['kind'][] = ['roads', 'wetlands', 'flood', 'zips'];

/** Where the source of a land layer stands; one is easily taken for the other. */
const OWN_SECTION: Partial<Record<Feed['kind'], string>> = {
  ...{ roads: 'layer', wetlands: 'layer', flood: 'layer', zips: 'layer' },
  elevation: 'elevation',
  imagery: 'imagery',
};

const SECTION_KINDS: Record<string, Feed['kind'][]> = {
  roll: ['assessor'],
  shape: ['assessor'],
  sales: ['assessor'],
  listings: ['listings'],
  layer: VECTOR,
  elevation: ['elevation'],
  imagery: ['imagery'],
  coverage: [...VECTOR, 'elevation', 'imagery'],
  contacts: ['contacts'],
  numbering: ['numbering'],
  dnc: ['dnc'],
};

const GATE_KINDS: Record<string, Feed['kind'][]> = {
  max_key_drop_percent: ['assessor', 'listings'],
  max_acreage_off_percent: ['assessor'],
  max_outside_coverage_percent: VECTOR,
  max_coverage_drop_percent: [...VECTOR, 'elevation', 'imagery'],
  max_coverage_growth_percent: VECTOR,
  max_outside_percent: ['assessor', 'listings', ...VECTOR, 'elevation'],
  empty_columns: ['assessor', 'listings', ...VECTOR, 'contacts', 'numbering'],
};
