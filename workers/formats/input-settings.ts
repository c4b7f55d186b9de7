import { z } from 'zod';
import type { Box } from '../../shared/geo/geometry-types.ts';

/** A box, or a county with its parcels or the features that touch it. */
export type ReadWindow = { box: Box; county?: { fips: number; of: 'parcels' | 'features' } };

const tokenEnv = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not the name of an environment variable')
  .describe('Environment variable with the token. The token itself is never in a feed file.');

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
      .describe(
        'Fields whose codes Plat replaces with the names that the layer defines. Default: codes are kept.',
      ),
    out_sr: z
      .number()
      .int()
      .describe(
        'Coordinate system to request, by its EPSG or Esri code. Plat reprojects from it. Default: 4326, degrees.',
      ),
    page_size: z
      .number()
      .int()
      .min(1)
      .max(10_000)
      .describe('Features per request. Default: 1000, or what the server allows.'),
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
      .describe('Records per request. Default: the service decides.'),
    timestamp_field: z
      .string()
      .min(1)
      .describe('Field that selects changed records. Default: ModificationTimestamp.'),
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
      .describe(
        "Coordinate system, such as EPSG:2236 or WKT. Default: the source's own, or WGS84 if it has none.",
      ),
    encoding: z.string().describe('Character encoding, such as utf-8 or windows-1252. Default: detected.'),
    delimiter: z.string().describe('csv: the separator. Default: detected.'),
    quote: z.string().max(1).describe('csv: the quotation mark. Empty for none. Default: ".'),
    header: z
      .union([z.boolean(), z.array(z.string().min(1)).min(1)])
      .describe(
        'csv, xlsx: false if the first line is data (the columns are then column_1 …), or a list of names. Default: true.',
      ),
    skip_lines: z
      .number()
      .int()
      .min(0)
      .max(1000)
      .describe('csv, xlsx, fixed_width: number of title lines before the header. Default: 0.'),
    within: z
      .union([z.literal('county'), boundsSchema('A box [west, south, east, north], in degrees.')])
      .describe(
        "The area to read, if the file covers more. Rows elsewhere are skipped. county: rows in the feed's county; for roads, wetlands, and flood zones, features that touch it. Default: everything.",
      ),
    member: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .describe(
        'The file to read in a zip that has several. If you list patterns (* matches anything), all matching files are read as one. A pattern that starts with ! excludes files.',
      ),
    layer: z.string().min(1).describe('The layer, table, or sheet to read in a file that has several.'),
    layout: z
      .array(
        z.strictObject({
          name: z.string().min(1).describe('Name of the column.'),
          width: z.number().int().min(1).max(100_000).describe('Width in characters.'),
          start: z
            .number()
            .int()
            .min(1)
            .optional()
            .describe('First character, counted from 1. Default: right after the previous column.'),
        }),
      )
      .min(1)
      .describe('fixed_width: the columns of a line.'),
    reso: resoSchema.describe('reso: how to query the service.'),
    arcgis: arcgisSchema.describe('arcgis: how to query the layer.'),
  })
  .partial();

/** An input's settings other than source and format. */
export const INPUT_SETTINGS = settingsSchema.shape;

/**
 * What to read. For `within`, readers request only the box if the source supports it, and clip-rows.ts skips
 * other rows.
 */
export type InputSettings = Omit<z.infer<typeof settingsSchema>, 'within'> & {
  source: string | string[];
  within?: ReadWindow | undefined;
};

export type ArcgisSpec = z.infer<typeof arcgisSchema>;
export type ResoSpec = z.infer<typeof resoSchema>;
export type LayoutField = NonNullable<InputSettings['layout']>[number];

/** County outlines are generalized by up to a kilometer. */
export const MARGIN_DEG = 0.01;
