import { z } from 'zod';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import type { Report } from '../../feeds/locate-faults.ts';
import { boundsSchema } from '../../formats/input-settings.ts';

const path = z.string().min(1);

/** Properties that select GeoTIFF files: source, template with bounds, or index. */
export const FILES = {
  source: z
    .union([path, z.array(path).min(1).describe('Several files.')])
    .describe(
      'GeoTIFF files: paths relative to the feed file, or http(s) URLs. Plat reads only the parts that it needs.',
    ),
  template: path.describe(
    'URLs or paths of 1-degree tiles. {tile} is the name of the tile, based on its northwest corner, such as n45w069. Needs bounds.',
  ),
  bounds: boundsSchema('For template: the box [west, south, east, north], in degrees, of the tiles to read.'),
  index: path.describe(
    'A file that lists the tiles: one path or URL per line, or a GeoJSON tile index with a `location` property, as gdaltindex writes it.',
  ),
  crs: z
    .string()
    .describe('Coordinate system of the files, as an EPSG code, WKT, or proj string; overrides the files.'),
};

type FilesSection = Partial<z.infer<z.ZodObject<typeof FILES>>>;

export type Files =
  | { by: 'source'; sources: string[] }
  | { by: 'template'; template: string; bounds: Box }
  | { by: 'index'; index: string };

/** A section's files. The section must select them in exactly one way. */
export function filesOf(
  name: string,
  { source, template, bounds, index }: FilesSection,
  report: Report,
): Files {
  const given = Object.entries({ source, template, index }).filter(([, value]) => value !== undefined);
  if (given.length !== 1) {
    const names = given.map(([property]) => property).join(' and ');
    report(name, names === '' ? 'set source, template, or index' : `sets ${names}; set only one of them`);
  }
  if (template === undefined && bounds !== undefined) report(`${name}.bounds`, 'belongs to template');
  if (template !== undefined && bounds === undefined)
    report(`${name}.template`, 'needs bounds for the tiles to read');
  if (template !== undefined && !template.includes('{tile}'))
    report(`${name}.template`, 'needs {tile} in place of the name of each tile');
  if (template !== undefined && bounds !== undefined) return { by: 'template', template, bounds };
  return index === undefined ? { by: 'source', sources: [source ?? []].flat() } : { by: 'index', index };
}

export const COVERAGE_SECTION = {
  coverage: boundsSchema(
    'Land layers: the box [west, south, east, north], in degrees, in which the layer is complete. Default: the county in fips, or the bounding box of the source if there is no fips.',
  ),
};
