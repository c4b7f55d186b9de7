import { type BoxColumns, boxOfColumns } from '../geo/box.ts';
import type { Box } from '../geo/geometry-types.ts';
import type { Db } from '../platform/db.ts';
import type { AddCountyResult } from './county-feeds.ts';

/** A feed with its last run and its schedule. */
export type FeedState = {
  name: string;
  kind: string;
  as_of: string | null;
  status: string | null;
  finished_at: Date | null;
  last_merged: Date | null;
  cron: string | null;
  timezone: string | null;
};

export const listFeeds = (db: Db): Promise<FeedState[]> => db.run<FeedState>('feeds/list_feeds');

export type AddedCounty = {
  id: string;
  fips: number;
  status: string;
  error: string | null;
  result: AddCountyResult | null;
  queued_at: Date;
  runs: { feed: string; status: string; error: string | null; id: number | null }[];
  loaded: string[];
};

/** Counties that an operator added, newest first. */
export const listAddedCounties = (db: Db): Promise<AddedCounty[]> =>
  db.run<AddedCounty>('feeds/list_added_counties');

/** Whether estimates and statistics are still being calculated after merges. */
export async function isComputing(db: Db): Promise<boolean> {
  const [row] = await db.run<{ computing: boolean }>('feeds/is_computing');
  return row!.computing;
}

export type FeedCounty = { fips: number; name: string; state: string };

export const listFeedCounties = (db: Db, feed: string, limit: number): Promise<FeedCounty[]> =>
  db.run<FeedCounty>('feeds/list_feed_counties', { feed_name: feed, limit });

export type LoadedCounty = { fips: string; name: string; state: string };

export const listLoadedCounties = (db: Db, limit: number): Promise<LoadedCounty[]> =>
  db.run<LoadedCounty>('feeds/list_counties', { limit });

export async function listFilledFields(db: Db, fips: number): Promise<Set<string>> {
  const rows = await db.run<{ field: string }>('feeds/list_filled_fields', { fips });
  return new Set(rows.map(({ field }) => field));
}

export async function listNotedTowns(db: Db, fips: readonly number[]): Promise<Map<number, string[]>> {
  const rows = await db.run<{ fips: number; towns: string[] | null }>('feeds/list_noted_towns', { fips });
  return new Map(rows.map(row => [row.fips, row.towns ?? []]));
}

export async function listTowns(db: Db, fips: number, limit: number): Promise<string[]> {
  return (await db.run<{ town: string }>('feeds/list_towns', { fips, limit })).map(({ town }) => town);
}

/** Bounding boxes of the parcels in each county, by FIPS code. @param fips null for all counties */
export async function listCountyBoxes(db: Db, fips: readonly number[] | null): Promise<Map<number, Box>> {
  const rows = await db.run<BoxColumns & { fips: number }>('feeds/list_boxes', { fips });
  return new Map(rows.map(row => [row.fips, boxOfColumns(row)]));
}
