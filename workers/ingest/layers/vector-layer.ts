import type { z } from 'zod';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import type { FEED_KINDS, FeedKindName } from '../../../shared/model/feed-kinds.ts';
import type { RoadReach } from '../../../shared/model/land-layers.ts';
import type { Overlay } from '../../../shared/model/overlays.ts';
import type { ColumnSpec } from '../../feeds/column-schema.ts';
import type { FeedBase, MappedInput } from '../../feeds/feed.ts';
import type { RowFields } from '../../feeds/feed-columns.ts';
import { type RejectedRow, rejectRow } from '../engine/map-fields.ts';

/** Kinds whose sources contain features. Elevation and imagery are files. */
export type VectorKind = {
  [Kind in FeedKindName]: (typeof FEED_KINDS)[Kind]['inputs'] extends { layer: string } ? Kind : never;
}[FeedKindName];

export type LayerInput = MappedInput<string>;

export type LayerFeed<Kind extends VectorKind = VectorKind> = FeedBase & {
  kind: Kind;
  layer: LayerInput;
  coverage: Box | null;
  reachM: RoadReach | null;
  /** Only for overlays. */
  overlays: Overlay[] | null;
};

/** A feature's class in each overlay, and its numbers. */
export type OverlayValues = Record<string, string | number>;

/** The stored class of a feature (null if the feature is ignored) and its label in the counts by class. */
export type Classification = { class: string | null; label: string; overlays?: OverlayValues };

/** @returns null if the feature has no class */
export type Classifier = (
  values: readonly (string | null)[],
  source: Record<string, unknown>,
) => Classification | RejectedRow | null;

/** The source's own road class, for the counts of ignored roads. */
export type RawReader = (source: Record<string, unknown>) => string | null;

/** What differs between kinds of features. */
export type VectorLayer<Kind extends VectorKind = VectorKind> = {
  kind: Kind;
  rows: RowFields;
  /**
   * At least one of these fields must be mapped. A source that has none of their columns can't be read. Empty
   * if features need no class.
   */
  requires: readonly string[];
  /** Default columns. */
  usual: Readonly<Partial<Record<string, string | ColumnSpec>>>;
  /** @param names field names, in the same order as the values */
  classify(names: readonly string[], raw: RawReader): Classifier;
  geometry: 'areas' | 'lines' | 'points' | 'any';
  /** The layer with the fields that a feed declares. Absent if all feeds of the kind have the same fields. */
  forFeed?(feed: LayerFeed): VectorLayer<Kind>;
  /** Whether the names can be searched on the map. */
  isNamed?: true;
  /** Additional properties of the section, and their effect on the resolved feed. */
  settings?: {
    schema: z.ZodRawShape;
    resolve(section: Record<string, unknown>): Partial<Omit<LayerFeed, 'kind'>>;
  };
  isKnownBy?(has: (column: string) => boolean): boolean;
};

/** No name of a road, lake, or hill in TIGER or GNIS is longer than `maxChars`. */
export const NAME_FIELD = {
  type: 'text',
  doc: 'Name to show on the map',
  maxChars: 120,
} as const;

export const textField = (doc: string) => ({ type: 'text', doc }) as const;

/** Rejects an unknown class or zone. */
export function unknownClass(field: string, text: string, what: string): RejectedRow {
  const remedy = `Map it with layer.columns.${field}.values, or skip it with layer.skip_where.`;
  return rejectRow(
    field,
    `unknown_${field === 'class' ? 'class' : 'zone'}`,
    `'${text}' is ${what}. ${remedy}`,
  );
}
