import { z } from 'zod';
import type { Box } from '../../../../shared/geo/geometry-types.ts';
import type { FeedBase } from '../../../feeds/feed.ts';
import { daySchema } from '../../../feeds/feed-head.ts';
import type { Report } from '../../../feeds/locate-faults.ts';
import type { FileOf } from '../../engine/feed-kind.ts';
import { COVERAGE_SECTION, FILES, type Files, filesOf } from '../../layers/files-schema.ts';

/** A deep zoom level: 7 mm per pixel. */
const DEEPEST_ZOOM = 24;

const imagerySchema = z.strictObject({
  type: z
    .enum(['cog', 'xyz', 'arcgis_image', 'relief'])
    .describe(
      'cog: GeoTIFF files in color, by source, template, or index. xyz: a Web Mercator tile server. arcgis_image: an ArcGIS ImageServer. relief: not imagery, but a drawing of the elevation, roads, and parcels in other feeds.',
    ),
  ...z
    .strictObject({
      ...FILES,
      source: FILES.source.describe(
        'Type cog: GeoTIFF files, as paths relative to the feed file or http(s) URLs. Type arcgis_image: the URL of the ImageServer.',
      ),
      template: FILES.template.describe(
        'Type cog: URLs or paths of 1-degree tiles with {tile} for the name; needs bounds. Type xyz: the URL of a tile with {z}, {x}, and {y}.',
      ),
      range: z
        .tuple([z.number().min(0), z.number().max(65_535)])
        .refine(([low, high]) => low < high, { error: 'must be the lower and then the higher value' })
        .describe(
          'Type cog, 16 bits: the values that become black and white. Default: the 2nd and 98th percentiles of the pixels.',
        ),
      max_zoom: z
        .number()
        .int()
        .min(0)
        .max(DEEPEST_ZOOM)
        .describe('Type xyz: the highest zoom level with tiles. Default: 18.'),
      tile_size: z
        .number()
        .int()
        .min(64)
        .max(1024)
        .describe('Type xyz: width of a tile in pixels. Default: 256.'),
      headers: z
        .record(
          z.string().regex(/^[A-Za-z0-9-]+$/, 'is not a valid header name'),
          z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not the name of an environment variable'),
        )
        .describe(
          'Types xyz and arcgis_image: request headers. Each is set to the name of an environment variable of the API that has its value. The values themselves are never in a feed file.',
        ),
      captured: daySchema.describe('Date of the imagery, YYYY-MM-DD. Default: unknown.'),
      private_network: z
        .boolean()
        .describe(
          'Whether to follow redirects from a public address to loopback or a private network. The address in the feed itself can be anywhere. Default: false.',
        ),
    })
    .partial().shape,
});

type ImageryFile = z.infer<typeof imagerySchema>;

export const IMAGERY_SECTIONS = {
  imagery: imagerySchema.describe('Kind imagery: the files or the server.'),
  ...COVERAGE_SECTION,
};

export type ImageryInput = { captured: string | null } & (
  | { type: 'cog'; tiles: Files; crs?: string; range?: [number, number] }
  | { type: 'xyz'; template: string; maxZoom: number; tileSize: number; headers: Record<string, string> }
  | { type: 'arcgis_image'; address: string; headers: Record<string, string> }
  | { type: 'relief' }
);

export type ImageryFeed = FeedBase & { kind: 'imagery'; imagery: ImageryInput; coverage: Box | null };

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

export function resolveImagery(
  file: FileOf<typeof IMAGERY_SECTIONS>,
  base: FeedBase,
  report: Report,
): ImageryFeed {
  const section = file.imagery!;
  for (const [name, types] of Object.entries(OF_TYPES)) {
    const isStray = section[name as keyof ImageryFile] !== undefined && !types.includes(section.type);
    if (isStray) report(`imagery.${name}`, `belongs to type ${types.join(' or ')}`);
  }
  const needsCoverage = section.type === 'xyz' || section.type === 'relief';
  if (needsCoverage && file.coverage === undefined && base.fips === null)
    report('imagery.type', `${section.type} has no location: set coverage or fips`);
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
      report('imagery.type', 'xyz needs a template: the http(s) URL of a tile with {z}, {x}, and {y}');
    else if (lacking.length > 0) report('imagery.template', `needs ${lacking.join(', ')}`);
    const { max_zoom: maxZoom = 18, tile_size: tileSize = 256 } = section;
    return { type, captured, template, maxZoom, tileSize, headers };
  }
  const address = typeof source === 'string' && isAddress(source) ? source : '';
  if (address === '')
    report('imagery.type', 'arcgis_image needs a source: the http(s) URL of an ImageServer');
  return { type, captured, address, headers };
}

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);
