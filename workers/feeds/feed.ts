import type { Overlap } from '../../shared/feeds/file-feeds.ts';
import type { Box } from '../../shared/geo/geometry-types.ts';
import type { RoadReach } from '../../shared/model/land-layers.ts';
import type { ListingField } from '../../shared/model/listing-fields.ts';
import type { InputSpec } from '../formats/format-input.ts';
import type { ColumnSpec, Condition, KeySpec } from './column-schema.ts';
import type { FeedFile, Gates, ParcelTarget, PresetName } from '../ingest/feed-schema.ts';
import type { LayerField, VectorKind } from '../ingest/layers/layer-schema.ts';
import type { ChangeColumn } from './phone-schema.ts';

/** Mapped columns by target. A column that a preset brought is `optional`. */
export type Columns<Target extends string> = Partial<Record<Target, ColumnSpec>>;

/** A condition; one that a preset brought is `optional`. */
export type SkipCondition = Condition & { optional?: boolean };

export type MappedInput<Target extends string> = {
  input: InputSpec;
  columns: Columns<Target>;
  skipWhere: SkipCondition[];
};

export type ParcelInput = MappedInput<ParcelTarget> & { key: KeySpec };

export type ListingInput = MappedInput<ListingField> & {
  /** County of every listing, or null when the feed does not give one. */
  fips: number | null;
  /** `source` of comps whose source is not mapped. */
  label: string;
  snapshot: boolean;
  /** Of a file of sales by parcel number: what its rows are joined by, and which of them are comps. */
  recorded: RecordedInput | null;
};

export type RecordedInput = { key: KeySpec; sales: Sales };

export type LayerInput = MappedInput<LayerField>;

export type Files =
  | { by: 'source'; sources: string[] }
  | { by: 'template'; template: string; bounds: Box }
  | { by: 'index'; index: string };

export type ElevationInput = {
  tiles: Files;
  crs?: string;
  unit?: 'metres' | 'feet' | 'us_survey_feet';
  nodata?: number;
};

export type ImageryInput = { captured: string | null } & (
  | { type: 'cog'; tiles: Files; crs?: string; range?: [number, number] }
  | { type: 'xyz'; template: string; maxZoom: number; tileSize: number; headers: Record<string, string> }
  | { type: 'arcgis_image'; address: string; headers: Record<string, string> }
  | { type: 'relief' }
);

/**
 * A source of people with their telephone numbers; `label` is the `source` of those whose
 * source is not mapped.
 */
export type ContactInput = MappedInput<string> & { label: string };

export type NumberingInput = MappedInput<string>;

/** Files of the Do Not Call registry; `edition` YYYY-MM-DD, null where the names of the files tell it. */
export type DncInput = {
  sources: string[];
  list: 'full' | 'changes';
  edition: string | null;
  columns: ChangeColumn[];
};

export type Sales = {
  label: string;
  where: SkipCondition[];
  minPrice: number;
  saleType: string;
  deed: DeedColumns;
  prior: PriorColumns[];
};

/** How a deed over several parcels is known: by what names it, by the source's own mark. */
export type DeedColumns = { book: ColumnSpec | null; multiParcel: SkipCondition[] };

export type PriorColumns = { columns: Columns<'date' | 'price'>; deed: DeedColumns; where: SkipCondition[] };

export type FeedBase = {
  name: string;
  title: string | null;
  attribution: string | null;
  licence: string | null;
  /**
   * County of every row, or null when the rows say it. Of a land layer: the county that it covers as a whole.
   */
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
};

export type Feed = FeedBase &
  (
    | {
        kind: 'assessor';
        roll: ParcelInput;
        furtherRolls: ParcelInput[];
        shape: ParcelInput | null;
        sales: Sales | null;
        /** What a run does with parcels that another feed has loaded. */
        overlap: Overlap;
      }
    | { kind: 'listings'; listings: ListingInput }
    | { kind: VectorKind; layer: LayerInput; coverage: Box | null; reachM: RoadReach | null }
    | { kind: 'elevation'; elevation: ElevationInput; coverage: Box | null }
    | { kind: 'imagery'; imagery: ImageryInput; coverage: Box | null }
    | { kind: 'contacts'; contacts: ContactInput }
    | { kind: 'numbering'; numbering: NumberingInput }
    | { kind: 'dnc'; dnc: DncInput }
  );

export type AssessorFeed = Extract<Feed, { kind: 'assessor' }>;
export type ListingsFeed = Extract<Feed, { kind: 'listings' }>;
export type LayerFeed = Extract<Feed, { layer: LayerInput }>;
export type ElevationFeed = Extract<Feed, { kind: 'elevation' }>;
export type ImageryFeed = Extract<Feed, { kind: 'imagery' }>;
export type ContactsFeed = Extract<Feed, { kind: 'contacts' }>;
export type NumberingFeed = Extract<Feed, { kind: 'numbering' }>;
export type DncFeed = Extract<Feed, { kind: 'dnc' }>;
