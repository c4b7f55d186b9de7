import { hash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { UUID } from '../model/uuid.ts';
import type { Config } from '../platform/config.ts';
import { type JobDefinition, RETRY } from '../platform/queue/jobs.ts';

/** Fields that a roll row can have in addition to the parcel fields, with their labels. */
export const ROW_FIELDS = {
  fips: 'County',
  longitude: 'Longitude',
  latitude: 'Latitude',
} as const;
export type RowField = keyof typeof ROW_FIELDS;

/** How a run of a roll feed handles parcels that another feed has loaded. */
export const OVERLAPS = ['block', 'update', 'replace', 'add', 'separate'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** A feed that already has parcels in a run's counties. `again` is how many of them are also in the run. */
export type LoadedFeed = { feed: string; parcels: number; again: number };

/** Formats for uploads, with their labels in the form. */
export const UPLOAD_FORMATS = {
  csv: 'CSV or other delimited text',
  xlsx: 'Excel workbook (.xlsx)',
  shapefile: 'Shapefile (zipped)',
  filegdb: 'File geodatabase (zipped)',
  geopackage: 'GeoPackage',
  geojson: 'GeoJSON',
  ndgeojson: 'GeoJSON, one feature per line',
  ndjson: 'JSON, one object per line',
  flatgeobuf: 'FlatGeobuf',
  parquet: 'Parquet, GeoParquet',
  dbf: 'dBASE table',
  access: 'Microsoft Access database',
  ssurgo: 'Soil survey (SSURGO, zipped)',
} as const;
export type UploadFormat = keyof typeof UPLOAD_FORMATS;

const uuid = z.string().regex(UUID);
const text = z.string().max(200);

/** Feed names become file names in FEEDS_DIR. */
export const FEED_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

const upload = z.object({
  id: uuid,
  /** The file's generated name in the upload's folder. */
  file: z.string().regex(/^upload(\.[a-z0-9]{1,12}){0,2}$/),
  /** The file's name in the browser, for display. */
  original: z.string().max(300),
});
export type Upload = z.output<typeof upload>;

/** Settings for reading the file that can't be detected from it. */
const reading = z.object({
  format: z.enum(Object.keys(UPLOAD_FORMATS) as [UploadFormat, ...UploadFormat[]]).optional(),
  member: text.optional(),
  layer: text.optional(),
  crs: text.optional(),
});
export type ReadSettings = z.output<typeof reading>;

/** Maximum length of a column name, and maximum number of columns per field. */
export const MAX_COLUMN_CHARS = 300;
export const MAX_JOINED = 12;

/** Maximum number of values listed for a column, and maximum length of a listed value. */
export const MAX_VALUES = 30;
export const MAX_VALUE_CHARS = 60;

const meanings = z.object({
  /**
   * The column that these values are from. The form may have switched the field to a different column since.
   */
  column: z.string().max(MAX_COLUMN_CHARS),
  /**
   * Maps each text in the file to its meaning: 'true', 'false', or '' for a flag; another text or '' for a
   * code.
   */
  values: z.record(z.string().max(MAX_VALUE_CHARS), z.string().max(MAX_COLUMN_CHARS)),
  /** For a flag, the meaning of all other values and of empty cells. */
  otherwise: z.enum(['true', 'false', '']),
});
export type Meanings = z.output<typeof meanings>;

/** The values of a column, for choosing what each one means for a field. */
export type ValueMeanings = {
  kind: 'flag' | 'code';
  column: string;
  /** Most frequent first. `means` has the same format as in Meanings. */
  values: { text: string; count: number; means: string }[];
  others: number;
  otherwise: Meanings['otherwise'];
};

const choices = z.object({
  key: z.string().max(MAX_COLUMN_CHARS).nullable(),
  /** The source's columns by field. Empty to skip a field. */
  columns: z.record(z.string().max(60), z.array(z.string().max(MAX_COLUMN_CHARS)).max(MAX_JOINED)),
  meanings: z.record(z.string().max(60), meanings).optional(),
});
export type ColumnChoices = z.output<typeof choices>;

const payload = z.object({
  upload,
  reading,
  name: z.string().regex(FEED_NAME).optional(),
  county: z.number().int().optional(),
  /** The operator's choices. If absent, Plat suggests columns. */
  choices: choices.optional(),
  overlap: z.enum(OVERLAPS).optional(),
  write: z.boolean(),
  requestedBy: z.string(),
});
export type AddFilePayload = z.output<typeof payload>;

export type ColumnGuess = { columns: string[]; confidence: number; why: string };

export type CheckMessage = { field: string | null; count: number; rowNo: number; message: string };

/** The result of checking one part of a feed against its first rows. */
export type PartCheckResult = {
  part: string;
  rows: number;
  sales: number;
  withGeometry: number;
  rejected: CheckMessage[];
  dropped: CheckMessage[];
  /** For each field, the number of rows that have it and the first values before and after mapping. */
  fields: { field: string; filled: number; samples: { in: string; out: string }[] }[];
};

/** Layers or archive members to choose from, keyed by the setting that the choice fills in. */
export type FileChoice = Partial<Record<'layer' | 'member', string[]>>;

export type AddFileResult = {
  /** Set if the file wasn't read because the user must first choose a layer, sheet, or archive member. */
  choose: FileChoice | null;
  name: string;
  kind: string;
  preset: string | null;
  fips: string | null;
  /** How the county was guessed from ZIP codes. Null if it was entered or is clear from the locations. */
  fipsWhy: string | null;
  rows: number;
  /** The columns of a roll; empty if the file has a known schema. */
  columns: { name: string; filled: number; samples: string[] }[];
  key: { chosen: string | null; guess: ColumnGuess | null };
  fields: {
    field: string;
    chosen: string[];
    guess: ColumnGuess | null;
    options: ColumnGuess[];
    meanings?: ValueMeanings | null;
  }[];
  parts: PartCheckResult[];
  problems: string[];
  warnings: string[];
  comps: string[];
  loaded: LoadedFeed[];
  /** The text and path of the feed file. */
  text: string;
  feedFile: string;
  /** The system's error code if FEEDS_DIR is not writable. */
  notWritable: string | null;
  /** Whether the feed is now in FEEDS_DIR. `refused` is why a requested write failed. */
  written: boolean;
  refused: string | null;
  /** The job that runs the feed. */
  run: string | null;
};

export const addFileJob: JobDefinition<AddFilePayload> = {
  name: 'feeds.add_file',
  queue: 'feeds',
  payload,
  key: given => JSON.stringify([given.upload.original, hash('sha256', JSON.stringify(given))]),
  ...RETRY,
};

export const uploadsFolder = ({ PLAT_DIR }: Pick<Config, 'PLAT_DIR'>): string => join(PLAT_DIR, 'uploads');

export const uploadFolder = (config: Pick<Config, 'PLAT_DIR'>, { id }: Pick<Upload, 'id'>): string =>
  join(uploadsFolder(config), id);

/** Stored next to an upload that became a feed. Uploads without it are deleted after a day. */
export const UPLOADED_FEED_FILE = 'feed.yaml';
