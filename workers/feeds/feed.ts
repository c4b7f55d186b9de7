import type { FeedKindName } from '../../shared/model/feed-kinds.ts';
import type { InputSpec } from '../formats/format-input.ts';
import type { ColumnSpec, Condition } from './column-schema.ts';
import type { FeedHead } from './feed-head.ts';
import type { Gates } from './gates-schema.ts';
import type { PresetName } from './presets.ts';

/** Mapped columns by target. A column from a preset is `optional`. */
export type Columns<Target extends string> = Partial<Record<Target, ColumnSpec>>;

/** A condition. Conditions from a preset are `optional`. */
export type SkipCondition = Condition & { optional?: boolean };

export type MappedInput<Target extends string> = {
  input: InputSpec;
  columns: Columns<Target>;
  skipWhere: SkipCondition[];
};

export type Sales = {
  label: string;
  where: SkipCondition[];
  minPrice: number;
  saleType: string;
  deed: DeedColumns;
  prior: PriorColumns[];
};

/** How multi-parcel deeds are identified: by a deed id, or by a flag in the source. */
export type DeedColumns = { book: ColumnSpec | null; multiParcel: SkipCondition[] };

export type PriorColumns = { columns: Columns<'date' | 'price'>; deed: DeedColumns; where: SkipCondition[] };

export type FeedBase = {
  name: string;
  title: string | null;
  attribution: string | null;
  licence: string | null;
  /** County of every row, or null if rows name it. For a land layer, the county that it covers. */
  fips: number | null;
  /** Date of a fixed snapshot, YYYY-MM-DD. */
  asOf: string | null;
  schedule: { cron: string; timezone: string } | null;
  preset: PresetName | null;
  gates: Gates;
  /** The feed file, and its folder. Relative sources are resolved against this folder. */
  file: string;
  baseDir: string;
  /** The file's contents, for the table `feeds`. */
  definition: FeedHead;
};

export type AnyFeed = FeedBase & { kind: FeedKindName };
