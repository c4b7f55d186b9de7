import { z } from 'zod';
import { type LandKind, ROAD_REACH_M } from '../../../shared/model/land-layers.ts';
import { INPUT_PROPERTIES } from '../../formats/format-input.ts';
import { boundsSchema } from '../../formats/input-settings.ts';
import { type ColumnSpec, columnSchema, conditionSchema } from '../../feeds/column-schema.ts';
import type { TargetSpec } from '../../feeds/values/value-parser.ts';

/** The kinds whose sources hold features; elevation and imagery are files. */
export type VectorKind = Exclude<LandKind, 'elevation' | 'imagery'>;

const text = (doc: string): TargetSpec => ({ type: 'text', doc });
/** No name of a road, a lake or a hill in TIGER or GNIS is longer. */
const name: TargetSpec = { type: 'text', doc: 'What it is called, as the map writes it', maxChars: 120 };

/** What tells of a feature whether, and as what, it counts. */
export const LAYER_FIELDS = {
  roads: {
    class: {
      type: 'road_class',
      doc: 'Class of a road: highway, normal, local; private for one that gives access but no frontage; none for what cars do not use',
    },
    mtfcc: text(
      'Feature class code of TIGER: S1100 is a highway, S1200 normal, S1400 local; S1630, S1640, S1730, S1740 and S1780 give access alone; no other counts',
    ),
    name,
  },
  wetlands: {
    attribute: text(
      'Code of the National Wetlands Inventory, such as PFO1E; codes that begin with U are uplands',
    ),
    type: text('Its wetland type in words, such as Riverine'),
  },
  flood: {
    zone: text('Flood zone of FEMA, such as AE or X'),
    subtype: text('Its subtype, such as FLOODWAY'),
    sfha: text('Whether it is a special flood hazard area (T or F, IN or OUT); wins over the zone'),
  },
  water: {
    class: text(
      'What an area of water is: lake, river or sea; what is no open water is left out with skip_where',
    ),
    mtfcc: text(
      'Feature class code of TIGER: H2030, H2040, H2041 and H2060 are lakes, H3010, H3013 and H3020 rivers, H2051 and H2053 sea; no other counts',
    ),
    name,
  },
  places: {
    class: text(
      'Class of the Geographic Names Information System, such as Lake or Summit; what a map does not name, such as Civil, does not count',
    ),
    name,
    longitude: { type: 'degrees', doc: 'Where the source has no points: degrees east, WGS84' },
    latitude: { type: 'degrees', doc: 'Where the source has no points: degrees north, WGS84' },
  },
  zips: { zip: { type: 'zip', doc: 'Five digits of the ZIP code whose area it is' } },
} as const satisfies Record<VectorKind, Record<string, TargetSpec>>;

export type LayerField = { [Kind in VectorKind]: keyof (typeof LAYER_FIELDS)[Kind] }[VectorKind];

export const LAYER_FIELD_NAMES = Object.fromEntries(
  Object.entries(LAYER_FIELDS).map(([kind, fields]) => [kind, Object.keys(fields)]),
) as Record<VectorKind, LayerField[]>;

/** A feature is known by one of these; a source that has none of their columns cannot be read. */
export const REQUIRED_ONE_OF: Record<VectorKind, readonly LayerField[]> = {
  roads: ['class', 'mtfcc'],
  wetlands: ['attribute', 'type'],
  flood: ['zone', 'sfha'],
  water: ['class', 'mtfcc'],
  places: ['class'],
  zips: ['zip'],
};

/**
 * Columns of TIGER/Line, the National Wetlands Inventory, the National Flood Hazard Layer before the Q3 data,
 * the Geographic Names Information System, the census of 2020 before 2010.
 */
export const LAYER_DEFAULTS: Record<VectorKind, Partial<Record<LayerField, string | ColumnSpec>>> = {
  roads: { mtfcc: 'MTFCC', name: 'FULLNAME' },
  wetlands: { attribute: 'ATTRIBUTE', type: 'WETLAND_TYPE' },
  flood: {
    zone: { first_of: ['FLD_ZONE', 'ZONE'] },
    subtype: 'ZONE_SUBTY',
    sfha: { first_of: ['SFHA_TF', 'SFHA'] },
  },
  water: { mtfcc: 'MTFCC', name: 'FULLNAME' },
  places: {
    class: 'feature_class',
    name: 'feature_name',
    longitude: 'prim_long_dec',
    latitude: 'prim_lat_dec',
  },
  zips: { zip: { first_of: ['ZCTA5CE20', 'ZCTA5CE10'] } },
};

/** A field of several kinds says what it is in each. */
const columns = Object.fromEntries(
  Object.values(LAYER_FIELD_NAMES)
    .flat()
    .map(field => {
      const docs = Object.entries(LAYER_FIELDS).flatMap(([kind, fields]) => {
        const { doc } = (fields as Record<string, TargetSpec>)[field] ?? {};
        return doc === undefined ? [] : [`Kind ${kind}: ${doc.charAt(0).toLowerCase()}${doc.slice(1)}.`];
      });
      return [field, columnSchema.optional().describe(docs.join(' '))];
    }),
);

const reach = (roadClass: keyof typeof ROAD_REACH_M) =>
  z
    .number()
    .positive()
    // A mile: further than any right of way is wide, and the neighbourhood that is read for a
    // parcel grows with it.
    .max(1609)
    .describe(`Metres from the centreline of such a road. Default: ${ROAD_REACH_M[roadClass]}.`)
    .optional();

export const layerSchema = z.strictObject({
  ...INPUT_PROPERTIES,
  columns: z
    .strictObject(columns)
    .describe(
      'What tells whether and as what a feature counts. Default: MTFCC; ATTRIBUTE and WETLAND_TYPE; FLD_ZONE, ZONE_SUBTY and SFHA_TF, else ZONE and SFHA; feature_class; ZCTA5CE20, else ZCTA5CE10. And what it is called: FULLNAME, feature_name.',
    )
    .optional(),
  skip_where: z
    .array(conditionSchema)
    .describe('Features to leave out, of the coverage too: those for which any of these holds.')
    .optional(),
  reach: z
    .strictObject({
      highway: reach('highway'),
      normal: reach('normal'),
      local: reach('local'),
      private: reach('private'),
    })
    .describe('Kind roads: how far from a road of each class a boundary may face it.')
    .optional(),
});

export const coverageSchema = boundsSchema(
  'Land layers: the box [west, south, east, north], in degrees, in which the layer is complete. Default: the county that fips names, else the box around everything that was read.',
);

const path = z.string().min(1);

/** Which GeoTIFF files are meant: by one of source, template with bounds, or index. */
const FILES = {
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

export type FilesSection = Partial<z.infer<z.ZodObject<typeof FILES>>>;

export const elevationSchema = z
  .strictObject({
    ...FILES,
    vertical_unit: z
      .enum(['metres', 'feet', 'us_survey_feet'])
      .describe('Unit of the heights; wins over what the files say. Default: what they say, else metres.'),
    nodata: z.number().describe('The height that stands for no data; wins over what the files say.'),
  })
  .partial();

export const daySchema = z
  .string()
  .refine(
    text =>
      /^\d{4}-\d{2}-\d{2}$/.test(text) &&
      !Number.isNaN(Date.parse(text)) &&
      new Date(text).toISOString().startsWith(text),
    {
      error: 'is no day written YYYY-MM-DD',
    },
  );

/** A deep zoom level: 7 mm a pixel. */
const DEEPEST_ZOOM = 24;

export const imagerySchema = z.strictObject({
  type: z
    .enum(['cog', 'xyz', 'arcgis_image', 'relief'])
    .describe(
      'cog: GeoTIFF files with colours, given by source, template or index; xyz: a server of Web Mercator tiles; arcgis_image: an ArcGIS ImageServer; relief: no imagery, but a drawing of the elevation, roads and parcels that other feeds bring.',
    ),
  ...z
    .strictObject({
      ...FILES,
      source: FILES.source.describe(
        'Type cog: GeoTIFF files, as paths relative to the feed file or http(s) addresses. Type arcgis_image: the address of the ImageServer.',
      ),
      template: FILES.template.describe(
        'Type cog: addresses or paths of 1-degree tiles with {tile} in place of the name; needs bounds. Type xyz: the address of a tile with {z}, {x} and {y}.',
      ),
      range: z
        .tuple([z.number().min(0), z.number().max(65_535)])
        .refine(([low, high]) => low < high, { error: 'must be the lower and the higher value' })
        .describe(
          'Type cog, 16 bits: the values that become black and white. Default: those that 2 % of the pixels lie below and above.',
        ),
      max_zoom: z
        .number()
        .int()
        .min(0)
        .max(DEEPEST_ZOOM)
        .describe('Type xyz: the deepest level that has tiles. Default: 18.'),
      tile_size: z
        .number()
        .int()
        .min(64)
        .max(1024)
        .describe('Type xyz: pixels of the side of a tile. Default: 256.'),
      headers: z
        .record(
          z.string().regex(/^[A-Za-z0-9-]+$/, 'is no name of a header field'),
          z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is no name of an environment variable'),
        )
        .describe(
          'Types xyz and arcgis_image: header fields, and the environment variables of the API that hold their values. The values never stand in a feed file.',
        ),
      captured: daySchema.describe('Day of the imagery, YYYY-MM-DD. Default: not told.'),
      private_network: z
        .boolean()
        .describe(
          'Whether redirects from a public address to loopback and private networks are followed. The address that the feed names may be anywhere. Default: false.',
        ),
    })
    .partial().shape,
});

export type ImageryFile = z.infer<typeof imagerySchema>;
