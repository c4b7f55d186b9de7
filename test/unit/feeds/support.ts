import { join } from 'node:path';
import { PlatError } from '../../../shared/platform/errors.ts';
import { rootDir } from '../../../shared/platform/root.ts';
import type { Feed } from '../../../workers/ingest/all-kinds.ts';
import type { AssessorFeed } from '../../../workers/ingest/kinds/assessor/assessor-feed.ts';
import type { ListingsFeed } from '../../../workers/ingest/kinds/listings/listings-feed.ts';
import { parseFeed } from '../../../workers/ingest/load-feeds.ts';

export const presetFixtures = join(rootDir, 'test', 'fixtures', 'feeds', 'presets');
export const sampleFeeds = join(rootDir, 'workers', 'sample', 'feeds');

export function assessor(feed: Feed): AssessorFeed {
  if (feed.kind !== 'assessor') throw new Error(`${feed.name} is no assessor feed`);
  return feed;
}

export function listings(feed: Feed): ListingsFeed {
  if (feed.kind !== 'listings') throw new Error(`${feed.name} is no listings feed`);
  return feed;
}

/** A feed from its text, as if it lay in the folder of the preset fixtures. */
export const feedOf = (text: string): Feed => parseFeed(text, join(presetFixtures, 'feed.yaml'));

/** What is wrong with the text of a feed. */
export function fault(text: string): string {
  try {
    feedOf(text);
  } catch (error) {
    if (error instanceof PlatError && error.code === 'feed_definition') return error.message;
    throw error;
  }
  throw new Error('the feed was accepted');
}
