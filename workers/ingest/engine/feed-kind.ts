import type { z } from 'zod';
import type { FeedKindName, Input } from '../../../shared/model/feed-kinds.ts';
import type { ColumnSpec } from '../../feeds/column-schema.ts';
import type { AnyFeed, FeedBase } from '../../feeds/feed.ts';
import type { RowFields } from '../../feeds/feed-columns.ts';
import type { FeedHead } from '../../feeds/feed-head.ts';
import type { GateName, Gates } from '../../feeds/gates-schema.ts';
import type { Report } from '../../feeds/locate-faults.ts';
import type { Preset } from '../../feeds/presets.ts';
import type { Recipe } from './recipe.ts';

export type Sections = Readonly<Record<string, z.ZodType>>;

/** The contents of a feed file, with the sections of its kind. */
export type FileOf<S extends Sections> = FeedHead & { [Name in keyof S]?: z.output<S[Name]> };

type Mapped = { columns: Partial<Record<string, ColumnSpec>> };

/** Everything that differs between kinds of feeds. `all-kinds.ts` lists them. */
export type FeedKind<
  Name extends FeedKindName = FeedKindName,
  Own extends Sections = Sections,
  Shared extends Sections = Sections,
  F extends AnyFeed = AnyFeed,
> = {
  kind: Name;
  sections: Own;
  /** Sections declared by other kinds that feeds of this kind may also use. */
  sharedSections?: Shared;
  /** The required section, and a description of its contents. */
  needs: { section: Input & keyof Own; holds: string };
  /** The kind's gates in addition to the common ones, and limits that differ from the defaults. */
  gates: readonly GateName[];
  gateDefaults?: Partial<Gates>;
  /** A row may name a former Connecticut county. In that case, its town determines the planning region. */
  allowsFormerCounties?: true;
  /** Merges preset and file, and fills in defaults. @returns null if faults leave no feed */
  resolve(
    file: FileOf<Own & Shared>,
    base: FeedBase,
    report: Report,
    preset: Preset | null,
  ): (F & { kind: Name }) | null;
  /** The fields of a row, and the sections that map columns to them. */
  rows?: { fields: RowFields; sections(feed: F): Record<string, Mapped | null> };
  /** Whether a source with these columns is of this kind. If omitted, the columns don't identify the kind. */
  isKnownBy?(has: (column: string) => boolean): boolean;
  recipe(feed: F): Promise<Recipe<F>>;
};

export const feedKind = <
  Name extends FeedKindName,
  Own extends Sections,
  F extends AnyFeed & { kind: Name },
  Shared extends Sections = Record<never, never>,
>(
  record: FeedKind<Name, Own, Shared, F>,
): FeedKind<Name, Own, Shared, F> => record;

export const MAPPED = 'what to read and how it maps';
