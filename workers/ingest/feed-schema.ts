import { CronExpressionParser } from 'cron-parser';
import { z } from 'zod';
import { OVERLAPS, type RowField } from '../../shared/feeds/file-feeds.ts';
import { CONTACT_FIELD_NAMES, CONTACT_FIELDS } from '../../shared/model/contact-fields.ts';
import { LAND_KINDS } from '../../shared/model/land-layers.ts';
import { LISTING_FIELD_NAMES, LISTING_FIELDS, type ListingField } from '../../shared/model/listing-fields.ts';
import { PARCEL_FIELD_NAMES, PARCEL_FIELDS, type ParcelField } from '../../shared/model/parcel-fields.ts';
import { INPUT_PROPERTIES } from '../formats/format-input.ts';
import { columnsOf, keySchema, skipWhereSchema } from '../feeds/column-schema.ts';
import {
  coverageSchema,
  daySchema,
  elevationSchema,
  imagerySchema,
  LAYER_FIELD_NAMES,
  LAYER_FIELDS,
  layerSchema,
} from './layers/layer-schema.ts';
import {
  contactsSchema,
  dncSchema,
  NUMBERING_FIELD_NAMES,
  NUMBERING_FIELDS,
  numberingSchema,
} from '../feeds/phone-schema.ts';
import { salesSchema } from '../feeds/sales-schema.ts';
import type { TargetSpec } from '../feeds/values/value-parser.ts';

/**
 * The feed file, a public format that feed.schema.json describes: properties are added, never renamed.
 * load-feeds.ts turns it into a `Feed`.
 */

export const PRESETS = [
  'regrid',
  'reso',
  'florida_nal',
  'texas_stratmap',
  'arizona',
  'arkansas',
  'colorado',
  'connecticut',
  'delaware',
  'district_of_columbia',
  'indiana',
  'maryland',
  'massachusetts',
  'minnesota',
  'montana',
  'new_hampshire',
  'new_jersey',
  'new_york',
  'north_carolina',
  'utah_lir',
  'vermont',
  'virginia',
  'washington',
  'west_virginia',
  'wisconsin',
  'connecticut_sales',
  'cook_county_sales',
  'district_of_columbia_sales',
  'florida_sdf',
  'illinois_ptax',
  'maryland_assessments',
  'maryland_sales',
  'new_jersey_sr1a',
  'new_york_salesweb',
  'vermont_transfers',
] as const;
export type PresetName = (typeof PRESETS)[number];

const FEED_KINDS = ['assessor', 'listings', ...LAND_KINDS, 'contacts', 'numbering', 'dnc'] as const;

/** Targets of a roll: the parcel fields, and a row's county and place where nothing else tells them. */
export type ParcelTarget = ParcelField | RowField;
const ROW_TARGETS: Record<RowField, TargetSpec> = {
  fips: {
    type: 'fips',
    doc: "County FIPS of the row, for files of several counties; two columns are a state's and a county's code",
  },
  longitude: { type: 'degrees', doc: 'Where the source has no shapes: degrees east, WGS84', unit: 'degrees' },
  latitude: { type: 'degrees', doc: 'Where the source has no shapes: degrees north, WGS84', unit: 'degrees' },
};
export const PARCEL_TARGETS: readonly ParcelTarget[] = [
  ...(Object.keys(ROW_TARGETS) as RowField[]),
  ...PARCEL_FIELD_NAMES,
];

/** The kinds of feed whose columns are mapped, with the fields that rows are made of in their order. */
export const FIELD_NAMES = {
  assessor: PARCEL_FIELD_NAMES as readonly string[],
  listings: LISTING_FIELD_NAMES as readonly string[],
  contacts: CONTACT_FIELD_NAMES,
  numbering: NUMBERING_FIELD_NAMES,
  ...LAYER_FIELD_NAMES,
};
export type MappedKind = keyof typeof FIELD_NAMES;

const FIELDS: Record<MappedKind, Record<string, TargetSpec>> = {
  assessor: { ...PARCEL_FIELDS, ...ROW_TARGETS },
  listings: LISTING_FIELDS,
  contacts: CONTACT_FIELDS,
  numbering: NUMBERING_FIELDS,
  ...LAYER_FIELDS,
};

/**
 * Columns of every layer may stand in a file; those of another kind than the feed's are a fault that
 * `resolveFeed` names.
 */
export const targetSpec = (kind: MappedKind, name: string): TargetSpec =>
  FIELDS[kind][name] ?? { type: 'text', doc: '' };

const parcelColumns = columnsOf<ParcelTarget>(PARCEL_TARGETS, { ...PARCEL_FIELDS, ...ROW_TARGETS });
const listingColumns = columnsOf<ListingField>(LISTING_FIELD_NAMES, LISTING_FIELDS);

const rollSchema = z.strictObject({
  ...INPUT_PROPERTIES,
  key: keySchema.optional(),
  columns: parcelColumns.describe('Parcel fields and where they come from.').optional(),
  skip_where: skipWhereSchema,
});

const listingsSchema = z.strictObject({
  ...INPUT_PROPERTIES,
  label: z
    .string()
    .min(1)
    .describe(
      'The `source` of comps whose `source` is not mapped. Default: the title, else the name of the feed.',
    )
    .optional(),
  snapshot: z
    .boolean()
    .describe(
      'Whether the source lists everything, so that an ACTIVE or PENDING listing that is gone from it has left the market. Default: true; false for format reso.',
    )
    .optional(),
  key: keySchema
    .describe(
      "A file of sales by parcel number: what identifies the parcel, as the parcels' feed writes it; `sales` tells which are comps.",
    )
    .optional(),
  columns: listingColumns.describe('Listing fields and where they come from.').optional(),
  skip_where: skipWhereSchema,
});

type FeedKind = (typeof FEED_KINDS)[number];
const OF_VECTOR: FeedKind[] = ['roads', 'wetlands', 'flood', 'water', 'places', 'zips'];
const OF_LAND: FeedKind[] = [...OF_VECTOR, 'elevation', 'imagery'];

type Gate = { usual: number; most?: null; kinds?: FeedKind[]; doc: string };

/**
 * The gates that are a percentage: what blocks a run whose feed says nothing of it, and the kinds that have
 * the gate; all by default.
 */
const PERCENT_GATES = {
  max_row_drop_percent: {
    usual: 10,
    doc: 'How many rows fewer than in the last accepted run, and in the best one of the last 12 months, are accepted.',
  },
  max_key_drop_percent: {
    usual: 10,
    kinds: ['assessor', 'listings'],
    doc: "Kind assessor: how many of the last accepted run's keys, and of the best one's of the last 12 months, may be missing.",
  },
  max_reject_percent: { usual: 5, doc: 'How many rows may be rejected.' },
  max_outside_percent: {
    usual: 1,
    kinds: ['assessor', 'listings', ...OF_VECTOR, 'elevation'],
    doc: "How many parcels may lie outside their county; of a land layer, features outside the feed's county, else the United States.",
  },
  max_acreage_off_percent: {
    usual: 33,
    kinds: ['assessor'],
    doc: 'How many parcels may state an acreage that is off the measured one by more than a factor of 4; 100 leaves acreages unjudged.',
  },
  max_outside_coverage_percent: {
    usual: 5,
    kinds: OF_VECTOR,
    doc: 'Roads, wetlands and flood with a coverage: how many features may lie wholly outside it. One has to lie inside.',
  },
  max_coverage_drop_percent: {
    usual: 10,
    kinds: OF_LAND,
    doc: 'Land layers: how much of the area that the last accepted run covered may be covered no longer.',
  },
  max_coverage_growth_percent: {
    usual: 10,
    most: null,
    kinds: OF_VECTOR,
    doc: 'Roads, wetlands and flood without fips and coverage: by how much of it the box around what was read may grow.',
  },
} satisfies Record<string, Gate>;

type PercentGate = keyof typeof PERCENT_GATES;
export type Gates = Record<PercentGate, number> & { empty_columns: boolean };

const eachGate = <T>(of: (gate: Gate) => T): Record<PercentGate, T> =>
  Object.fromEntries(Object.entries(PERCENT_GATES).map(([name, gate]) => [name, of(gate)])) as Record<
    PercentGate,
    T
  >;

export const GATE_DEFAULTS: Gates = { ...eachGate(({ usual }) => usual), empty_columns: true };
export const GATE_KINDS: Partial<Record<keyof Gates, FeedKind[]>> = {
  ...eachGate(({ kinds }) => kinds),
  empty_columns: ['assessor', 'listings', ...OF_VECTOR, 'contacts', 'numbering'],
};

const gatesSchema = z
  .strictObject({
    ...eachGate(({ usual, most = 100, doc }) => {
      const percentage = z.number().min(0);
      return (most === null ? percentage : percentage.max(most)).describe(`${doc} Default: ${usual}.`);
    }),
    empty_columns: z
      .boolean()
      .describe('Block when a mapped column that was filled has turned empty. Default: true.'),
  })
  .partial();

const fipsSchema = z
  .union([z.string().regex(/^\d{4,5}$/, 'is no county FIPS code'), z.number().int().min(1001).max(78_999)])
  .describe(
    "County FIPS of every row, such as '33019'; rows whose own FIPS differs are rejected. Of a land layer: the county that it covers as a whole.",
  );

/** What the queue's own parser objects to. It fills in missing fields by itself, so they are counted here. */
function cronProblem(expression: string): string | null {
  const fields = expression.trim().split(/\s+/).length;
  if (fields !== 5 && fields !== 6)
    return 'needs five fields: minute, hour, day of month, month, day of week';
  try {
    CronExpressionParser.parse(expression);
    return null;
  } catch (error) {
    return `is no schedule: ${(error as Error).message}`;
  }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const scheduleSchema = z.strictObject({
  cron: z
    .string()
    .superRefine((text, context) => {
      const problem = cronProblem(text);
      if (problem) context.addIssue({ code: 'custom', message: problem });
    })
    .describe("Cron expression: minute, hour, day of month, month, day of week, such as '0 6 * * *'."),
  timezone: z
    .string()
    .refine(isTimeZone, { error: 'is no IANA time zone' })
    .describe('IANA time zone that the expression is read in, such as America/New_York. Default: UTC.')
    .optional(),
});

export const feedSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 of a-z, 0-9 and -, not beginning with -')
      .describe(
        'Name of the feed, unique in the installation; a parcel keeps its property_id as long as it stays.',
      ),
    kind: z
      .enum(FEED_KINDS)
      .describe(
        'assessor: parcels; listings: listings and sales; elevation, roads, wetlands, flood: what the attributes of the land are computed from; water, places, zips: open water, names of places and areas of ZIP codes, drawn on the map; imagery: what parcels are drawn on; contacts: people with telephone numbers; numbering: blocks of telephone numbers; dnc: the Do Not Call registry.',
      ),
    ...z
      .strictObject({
        $schema: z.string().describe('Address of this schema, for editors.'),
        disabled: z
          .boolean()
          .describe('true: the feed is not run, and no bundled one of this name either. Default: false.'),
        title: z.string().describe('Name for people.'),
        attribution: z.string().describe('Who is to be credited, and how.'),
        licence: z.string().describe('Terms on which the data may be used.'),
        fips: fipsSchema,
        as_of: daySchema.describe(
          'Day of a snapshot that no longer moves, YYYY-MM-DD. Its statistics are computed as of it.',
        ),
        schedule: scheduleSchema.describe('When to run by itself. Default: only on request.'),
        preset: z
          .enum(PRESETS)
          .describe(
            "A known schema whose columns are mapped already; the feed's own settings win, column by column.",
          ),
        roll: z
          .union([rollSchema, z.array(rollSchema).min(1)])
          .describe(
            'Kind assessor: the attributes of the parcels, and their geometry where the format has it. Of a list of rolls the first counts, and further ones fill in what it does not say of a key, or add its parcel.',
          ),
        shape: rollSchema.describe(
          'Kind assessor: a second source with the geometry, joined by key. Its columns fill parcels that the roll does not have.',
        ),
        sales: z
          .union([salesSchema, z.null()])
          .describe(
            "Which recorded sales become SOLD comps: of a roll's last_sale_date and last_sale_price, or of a file of sales by parcel number (listings.key). Its properties win over those of a preset. null: the sales of a preset are left out.",
          ),
        overlap: z
          .enum(OVERLAPS)
          .describe(
            "Kind assessor: what a run does with parcels that another feed has already loaded in the county. block: it is not merged, and says how many there are. update: this feed takes those parcels over, with their ids, and leaves that feed's other parcels alone. replace: it takes all of that feed's parcels over, and retires those that it does not have. add: only parcels that no other feed has are added. separate: they are loaded as parcels of their own, for towns that number different parcels alike. Default: block.",
          ),
        listings: listingsSchema.describe('Kind listings: the source and its columns.'),
        layer: layerSchema.describe(
          'Kinds roads, wetlands, flood, water, places and zips: the source and its columns.',
        ),
        elevation: elevationSchema.describe(
          'Kind elevation: the files of heights: one of source, template with bounds, or index.',
        ),
        imagery: imagerySchema.describe('Kind imagery: the files or the server.'),
        coverage: coverageSchema,
        contacts: contactsSchema.describe('Kind contacts: the source and its columns.'),
        numbering: numberingSchema.describe('Kind numbering: the source and its columns.'),
        dnc: dncSchema.describe('Kind dnc: the files of the Do Not Call registry.'),
        gates: gatesSchema.describe('What blocks the merge of a run.'),
      })
      .partial().shape,
  })
  .meta({
    title: 'Plat feed',
    description:
      "A source of parcels, listings, land or telephone numbers and how its columns map to Plat's fields.",
  });

export type FeedFile = z.infer<typeof feedSchema>;
export type RollFile = z.infer<typeof rollSchema>;

export function feedJsonSchema(): string {
  const schema = z.toJSONSchema(feedSchema, { io: 'input' });
  return `${JSON.stringify(schema, null, 2)}\n`;
}
