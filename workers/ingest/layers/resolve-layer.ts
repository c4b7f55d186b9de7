import { ROAD_CLASSES, ROAD_REACH_M, type RoadReach } from '../../../shared/model/land-layers.ts';
import { FORMATS } from '../../formats/file-formats.ts';
import { readWindow } from '../../formats/format-input.ts';
import type { ElevationFeed, FeedBase, Files, ImageryFeed, ImageryInput, LayerFeed } from '../../feeds/feed.ts';
import { mappedInput } from '../../feeds/feed-columns.ts';
import type { FeedFile } from '../feed-schema.ts';
import {
  type FilesSection,
  type ImageryFile,
  LAYER_DEFAULTS,
  LAYER_FIELDS,
  type LayerField,
  REQUIRED_ONE_OF,
  type VectorKind,
} from './layer-schema.ts';
import type { Report } from '../../feeds/locate-faults.ts';

export function layer(kind: VectorKind, file: FeedFile, base: FeedBase, report: Report): LayerFeed {
  const section = file.layer!;
  const { format, reach, columns = {} } = section;
  // Names of places come with their coordinates as columns.
  if (!FORMATS[format].geometry && kind !== 'places')
    report(
      'layer.format',
      `${format} has no geometry; give another format, such as geojson, shapefile or geopackage`,
    );
  if (reach && kind !== 'roads') report('layer.reach', 'belongs to kind roads');
  const own = Object.keys(LAYER_FIELDS[kind]);
  for (const name of Object.keys(columns))
    if (!own.includes(name))
      report(`layer.columns.${name}`, `is no field of ${kind}, which has ${own.join(', ')}`);
  const within = readWindow(section, base.fips, 'features', message => report('layer.within', message));
  // A class is the feed's own or TIGER's; a source with a class need not have the other column.
  const { mtfcc, ...others } = LAYER_DEFAULTS[kind];
  const defaults = columns.class ? others : { ...others, mtfcc };
  const input = mappedInput<LayerField>(section, { columns: defaults }, within);
  if (!REQUIRED_ONE_OF[kind].some(name => input.columns[name]))
    report('layer.columns', `nothing tells what a feature is: map ${REQUIRED_ONE_OF[kind].join(' or ')}`);
  const metres = ROAD_CLASSES.map(name => [name, reach?.[name] ?? ROAD_REACH_M[name]]);
  const reachM = kind === 'roads' ? (Object.fromEntries(metres) as RoadReach) : null;
  return { ...base, kind, layer: input, coverage: file.coverage ?? null, reachM };
}

export function elevation(file: FeedFile, base: FeedBase, report: Report): ElevationFeed {
  const { crs, vertical_unit: unit, nodata, ...files } = file.elevation!;
  const said = Object.entries({ crs, unit, nodata }).filter(([, value]) => value !== undefined);
  const input = { tiles: filesOf('elevation', files, report), ...Object.fromEntries(said) };
  return { ...base, kind: 'elevation', elevation: input, coverage: file.coverage ?? null };
}

const OF_TYPES: Partial<Record<keyof ImageryFile, ImageryFile['type'][]>> = {
  source: ['cog', 'arcgis_image'],
  template: ['cog', 'xyz'],
  bounds: ['cog'],
  index: ['cog'],
  crs: ['cog'],
  range: ['cog'],
  max_zoom: ['xyz'],
  tile_size: ['xyz'],
  headers: ['xyz', 'arcgis_image'],
  private_network: ['cog', 'xyz', 'arcgis_image'],
  captured: ['cog', 'xyz', 'arcgis_image'],
};

export function imagery(file: FeedFile, base: FeedBase, report: Report): ImageryFeed {
  const section = file.imagery!;
  for (const [name, types] of Object.entries(OF_TYPES)) {
    const isStray = section[name as keyof ImageryFile] !== undefined && !types.includes(section.type);
    if (isStray) report(`imagery.${name}`, `belongs to type ${types.join(' or ')}`);
  }
  const needsCoverage = section.type === 'xyz' || section.type === 'relief';
  if (needsCoverage && file.coverage === undefined && base.fips === null)
    report('imagery.type', `${section.type} does not say where it is: give coverage, or fips`);
  const input = imageryInput(section, report);
  return { ...base, kind: 'imagery', imagery: input, coverage: file.coverage ?? null };
}

function imageryInput(section: ImageryFile, report: Report): ImageryInput {
  const { type, source, template = '', crs, range, headers = {} } = section;
  const captured = section.captured ?? null;
  if (type === 'relief') return { type, captured };
  if (type === 'cog') {
    const tiles = filesOf('imagery', section, report);
    return { type, captured, tiles, ...(crs !== undefined && { crs }), ...(range && { range }) };
  }
  if (type === 'xyz') {
    const lacking = ['{z}', '{x}', '{y}'].filter(part => !template.includes(part));
    if (!isAddress(template.replace(/[{}]/g, '')))
      report('imagery.type', 'xyz needs a template: the http(s) address of a tile with {z}, {x} and {y}');
    else if (lacking.length > 0) report('imagery.template', `lacks ${lacking.join(', ')}`);
    const { max_zoom: maxZoom = 18, tile_size: tileSize = 256 } = section;
    return { type, captured, template, maxZoom, tileSize, headers };
  }
  const address = typeof source === 'string' && isAddress(source) ? source : '';
  if (address === '')
    report('imagery.type', 'arcgis_image needs a source: the http(s) address of an ImageServer');
  return { type, captured, address, headers };
}

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

function filesOf(name: string, { source, template, bounds, index }: FilesSection, report: Report): Files {
  const given = Object.entries({ source, template, index }).filter(([, value]) => value !== undefined);
  if (given.length !== 1) {
    const names = given.map(([property]) => property).join(' and ');
    report(name, names === '' ? 'give source, template or index' : `gives ${names}; give one of them`);
  }
  if (template === undefined && bounds !== undefined) report(`${name}.bounds`, 'belongs to template');
  if (template !== undefined && bounds === undefined)
    report(`${name}.template`, 'needs bounds: whose tiles are wanted');
  if (template !== undefined && !template.includes('{tile}'))
    report(`${name}.template`, 'lacks {tile}, for which the name of each tile stands');
  if (template !== undefined && bounds !== undefined) return { by: 'template', template, bounds };
  return index === undefined ? { by: 'source', sources: [source ?? []].flat() } : { by: 'index', index };
}
