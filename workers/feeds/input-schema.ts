import { z } from 'zod';
import type { Format, InputSpec } from '../formats/rows.ts';

/** Every format that the readers know, with what it is. */
const FORMAT_DOCS: Record<Format, string> = {
  csv: 'CSV and other delimited text',
  geojson: 'a GeoJSON FeatureCollection',
  ndgeojson: 'GeoJSON features, one a line',
  shapefile: 'a shapefile, bare or zipped',
  dbf: 'a dBASE table',
  flatgeobuf: 'FlatGeobuf',
  ndjson: 'JSON objects, one a line',
  reso: 'a RESO Web API',
};
const FORMATS = Object.keys(FORMAT_DOCS) as [Format, ...Format[]];

const source = z
  .string()
  .min(1)
  .describe('A path relative to the feed file, or a file:, http: or https: address.');

const resoSchema = z
  .strictObject({
    token_env: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is no name of an environment variable')
      .describe(
        'Environment variable that holds the bearer token. The token itself never stands in a feed file.',
      ),
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

/** The properties by which roll, shape and listings say what to read: the reader's InputSpec. */
export const INPUT_PROPERTIES = {
  source: z
    .union([source, z.array(source).min(1).describe('Several sources read one after the other as one.')])
    .describe('What to read; gzip and zip are unpacked.'),
  format: z.enum(FORMATS).describe(
    Object.entries(FORMAT_DOCS)
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
          'csv: false when the first line is data (the columns are then column_1 …), or a list of names. Default: true.',
        ),
      member: z.string().describe('The file meant in a zip that holds several.'),
      reso: resoSchema.describe('reso: how to ask the service.'),
    })
    .partial().shape,
};

/** The reader's part of a section. */
export function inputSpec(section: z.infer<z.ZodObject<typeof INPUT_PROPERTIES>>): InputSpec {
  const { source, format, crs, encoding, delimiter, quote, header, member } = section;
  const reso = section.reso && {
    tokenEnv: section.reso.token_env,
    filter: section.reso.filter,
    select: section.reso.select,
    pageSize: section.reso.page_size,
    timestampField: section.reso.timestamp_field,
  };
  return {
    source,
    format,
    ...given({ crs, encoding, delimiter, quote, header, member, reso: reso && given(reso) }),
  };
}

/** The properties that have a value. */
function given<T extends object>(properties: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
