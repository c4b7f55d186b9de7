import { z } from 'zod';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import type { Report } from '../../feeds/locate-faults.ts';
import { boundsSchema } from '../../formats/input-settings.ts';

const path = z.string().min(1);

/** Which GeoTIFF files are meant: by one of source, template with bounds, or index. */
export const FILES = {
  source: z
    .union([path, z.array(path).min(1).describe('Several files.')])
    .describe(
      'GeoTIFF files: paths relative to the feed file, or http(s) addresses, of which only the parts that are needed are read.',
    ),
  template: path.describe(
    'Addresses or paths of 1-degree tiles; {tile} stands for the name of each after its north-west corner, such as n45w069. Needs bounds.',
  ),
  bounds: boundsSchema(
    'Of template: the box [west, south, east, north], in degrees, whose tiles are wanted.',
  ),
  index: path.describe(
    'A file that lists the tiles: a path or address a line, or a GeoJSON tile index whose features carry it as `location`, as gdaltindex writes it.',
  ),
  crs: z
    .string()
    .describe(
      'Coordinate system of the files, as an EPSG code, WKT or proj string; wins over what they say.',
    ),
};

type FilesSection = Partial<z.infer<z.ZodObject<typeof FILES>>>;

export type Files =
  | { by: 'source'; sources: string[] }
  | { by: 'template'; template: string; bounds: Box }
  | { by: 'index'; index: string };

/** Which files a section names, of which it has to give one way. */
export function filesOf(
  name: string,
  { source, template, bounds, index }: FilesSection,
  report: Report,
): Files {
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

export const COVERAGE_SECTION = {
  coverage: boundsSchema(
    'Land layers: the box [west, south, east, north], in degrees, in which the layer is complete. Default: the county that fips names, else the box around everything that was read.',
  ),
};
