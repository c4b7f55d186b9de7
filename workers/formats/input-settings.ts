import { z } from 'zod';
import type { Box } from '../../shared/geo/geometry-types.ts';

/** A box, or a county with its parcels or the features that touch it. */
export type ReadWindow = { box: Box; county?: { fips: number; of: 'parcels' | 'features' } };

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

export const degreesSchema = (most: number) => z.number().min(-most).max(most);

export const boundsSchema = (doc: string) =>
  z
    .tuple([degreesSchema(180), degreesSchema(90), degreesSchema(180), degreesSchema(90)])
    .refine(([west, south, east, north]) => west < east && south < north, {
      error: 'must be west, south, east, north',
    })
    .describe(doc);

const settingsSchema = z
  .object({
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
  .partial();

/** What a feed may say of an input besides its source and its format. */
export const INPUT_SETTINGS = settingsSchema.shape;

/** What to read. Of `within` readers ask for the box where they can, and clip-rows.ts leaves out the rest. */
export type InputSettings = Omit<z.infer<typeof settingsSchema>, 'within'> & {
  source: string | string[];
  within?: ReadWindow | undefined;
};

export type ArcgisSpec = z.infer<typeof arcgisSchema>;
export type ResoSpec = z.infer<typeof resoSchema>;
export type LayoutField = NonNullable<InputSettings['layout']>[number];

/** County outlines are generalized by up to a kilometer. */
export const MARGIN_DEG = 0.01;
