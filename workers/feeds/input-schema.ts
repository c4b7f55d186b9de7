import { z } from 'zod';
import type { Box } from '../../shared/geo/types.ts';
import { countyWithin } from '../formats/clip.ts';
import { FORMATS, type Format, type InputSpec } from '../formats/rows.ts';

const source = z
  .string()
  .min(1)
  .describe('A path relative to the feed file, or a file:, http: or https: address.');

const tokenEnv = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is no name of an environment variable')
  .describe('Environment variable that holds the token. The token itself never stands in a feed file.');

const arcgisSchema = z
  .strictObject({
    where: z
      .string()
      .min(1)
      .describe("Condition in the server's SQL, such as COUNTY = 'DANE'. Default: all features."),
    fields: z.array(z.string().min(1)).min(1).describe('Fields to fetch. Default: all.'),
    names_of: z
      .array(z.string().min(1))
      .min(1)
      .describe('Fields whose codes become the names that the layer declares for them. Default: codes stay.'),
    out_sr: z
      .number()
      .int()
      .describe(
        'Coordinate system to ask for, by its EPSG or Esri code, and to reproject from here. Default: 4326, degrees.',
      ),
    page_size: z
      .number()
      .int()
      .min(1)
      .max(10_000)
      .describe('Features asked for at a time. Default: 1000, or what the server allows.'),
    token_env: tokenEnv,
  })
  .partial();

const resoSchema = z
  .strictObject({
    token_env: tokenEnv,
    filter: z.string().describe("OData condition, such as PropertyType eq 'Land'."),
    select: z.array(z.string().min(1)).min(1).describe('Fields to fetch. Default: all.'),
    page_size: z
      .number()
      .int()
      .min(1)
      .max(10_000)
      .describe('Records asked for at a time. Default: the service decides.'),
    timestamp_field: z
      .string()
      .min(1)
      .describe('Field by which changes are asked for. Default: ModificationTimestamp.'),
  })
  .partial();

export const inDegrees = (most: number) => z.number().min(-most).max(most);

export const boundsSchema = (doc: string) =>
  z
    .tuple([inDegrees(180), inDegrees(90), inDegrees(180), inDegrees(90)])
    .refine(([west, south, east, north]) => west < east && south < north, {
      error: 'must be west, south, east, north',
    })
    .describe(doc);

/** The properties by which roll, shape and listings say what to read: the reader's InputSpec. */
export const INPUT_PROPERTIES = {
  source: z
    .union([source, z.array(source).min(1).describe('Several sources read one after the other as one.')])
    .describe('What to read; gzip and zip are unpacked.'),
  format: z.enum(Object.keys(FORMATS) as [Format, ...Format[]]).describe(
    Object.entries(FORMATS)
      .map(([name, doc]) => `${name}: ${doc}`)
      .join('; '),
  ),
  ...z
    .strictObject({
      crs: z
        .string()
        .describe('Coordinate system, such as EPSG:2236 or WKT. Default: what the source says, else WGS84.'),
      encoding: z.string().describe('Character encoding, such as utf-8 or windows-1252. Default: detected.'),
      delimiter: z.string().describe('csv: the separator. Default: detected.'),
      quote: z.string().max(1).describe('csv: the quotation mark. Default: "; empty for none.'),
      header: z
        .union([z.boolean(), z.array(z.string().min(1)).min(1)])
        .describe(
          'csv, xlsx: false when the first line is data (the columns are then column_1 …), or a list of names. Default: true.',
        ),
      skip_lines: z
        .number()
        .int()
        .min(0)
        .max(1000)
        .describe('csv, xlsx, fixed_width: lines of titles before the header. Default: 0.'),
      within: z
        .union([z.literal('county'), boundsSchema('A box [west, south, east, north], in degrees.')])
        .describe(
          "The part that is wanted of a file that holds more: rows that lie elsewhere are left out. county: what lies in the feed's county; of roads, wetlands and flood zones what touches it. Default: all.",
        ),
      member: z
        .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
        .describe(
          'The file meant in a zip that holds several. Of patterns, in which * stands for anything, all files that fit one are read as one; one that begins with ! leaves files out.',
        ),
      layer: z.string().min(1).describe('The layer, table or sheet meant in a file that holds several.'),
      layout: z
        .array(
          z.strictObject({
            name: z.string().min(1).describe('What the column is called.'),
            width: z.number().int().min(1).max(100_000).describe('In characters.'),
            start: z
              .number()
              .int()
              .min(1)
              .optional()
              .describe('First character, from 1. Default: behind the column before.'),
          }),
        )
        .min(1)
        .describe('fixed_width: the columns of a line.'),
      reso: resoSchema.describe('reso: how to ask the service.'),
      arcgis: arcgisSchema.describe('arcgis: how to ask the layer.'),
    })
    .partial().shape,
};

export type InputSection = Omit<InputSpec, 'within'> & { within?: 'county' | Box | undefined };

/** The reader's part of a section. */
export function inputSpec(section: InputSection): InputSpec {
  const own = Object.entries(section).filter(([name]) => name in INPUT_PROPERTIES && name !== 'within');
  return Object.fromEntries(own) as InputSpec;
}

/** Which part of its source a section of the feed of a county wants; what is wrong is reported. */
export function wantedPart(
  { within }: InputSection,
  fips: number | null,
  of: 'parcels' | 'features',
  report: (message: string) => void,
): Pick<InputSpec, 'within'> {
  if (within === undefined) return {};
  if (within !== 'county') return { within: { box: within } };
  const wanted = fips === null ? null : countyWithin(fips, of);
  if (wanted === null) report('county needs the fips of the county');
  return wanted ? { within: wanted } : {};
}
