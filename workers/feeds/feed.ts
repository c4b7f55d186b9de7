import type { ListingField } from '../../shared/domain/listing-fields.ts';
import type { InputSpec } from '../ingest/parse/rows.ts';
import type { ColumnSpec, Condition, KeySpec } from './column-schema.ts';
import type { FeedFile, ParcelTarget, PresetName } from './definition.ts';

/** Mapped columns by target. A column that a preset brought is `optional`. */
export type Columns<Target extends string> = Partial<Record<Target, ColumnSpec>>;

/** A condition of skip_where; one that a preset brought is `optional`. */
export type SkipCondition = Condition & { optional?: boolean };

export type ParcelInput = {
  input: InputSpec;
  key: KeySpec;
  columns: Columns<ParcelTarget>;
  skipWhere: SkipCondition[];
};

export type ListingInput = {
  input: InputSpec;
  columns: Columns<ListingField>;
  skipWhere: SkipCondition[];
  /** County of every listing, or null when the feed does not give one. */
  fips: number | null;
  /** `source` of comps whose source is not mapped. */
  label: string;
  /** Whether the source lists everything. */
  snapshot: boolean;
};

export type Sales = { label: string; where: Condition[]; minPrice: number; saleType: string };

export type Gates = {
  maxRowDropPercent: number;
  maxKeyDropPercent: number;
  maxRejectPercent: number;
  /** Share of the parcels outside their county's box; a wrong CRS puts all of them there. */
  maxOutsidePercent: number;
  emptyColumns: boolean;
};

/** A feed file, its preset merged in and its defaults filled. */
export type Feed = {
  name: string;
  title: string | null;
  attribution: string | null;
  licence: string | null;
  /** County of every row, or null when the rows say it. */
  fips: number | null;
  /** Day of a snapshot that no longer moves, YYYY-MM-DD. */
  asOf: string | null;
  schedule: { cron: string; timezone: string } | null;
  preset: PresetName | null;
  gates: Gates;
  /** The feed file, and its folder, from which relative sources start. */
  file: string;
  baseDir: string;
  /** What the file says, for the table of feeds. */
  definition: FeedFile;
} & (
  | { kind: 'assessor'; roll: ParcelInput; shape: ParcelInput | null; sales: Sales | null }
  | { kind: 'listings'; listings: ListingInput }
);

export type AssessorFeed = Extract<Feed, { kind: 'assessor' }>;
export type ListingsFeed = Extract<Feed, { kind: 'listings' }>;

export type Part = 'roll' | 'shape' | 'listings';
