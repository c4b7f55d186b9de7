import { join } from 'node:path';
import type { Config } from '../../shared/config.ts';
import { PlatError } from '../../shared/errors.ts';
import { rootDir } from '../../shared/root.ts';
import type { Feed } from './feed.ts';
import { listFeeds } from './load.ts';

/** The operator's feeds, and the bundled ones unless SAMPLE_FEEDS is off. */
export function installedFeeds(config: Config): Promise<Feed[]> {
  const sample = config.SAMPLE_FEEDS ? [sampleDir] : [];
  return listFeeds([config.FEEDS_DIR, ...sample]);
}

export const sampleDir = join(rootDir, 'workers', 'sample', 'feeds');

/** @throws PlatError `feed_unknown` naming the feeds that there are */
export async function installedFeed(config: Config, name: string): Promise<Feed> {
  const feeds = await installedFeeds(config);
  const feed = feeds.find(candidate => candidate.name === name);
  if (feed) return feed;
  const known = feeds.map(candidate => candidate.name).join(', ') || 'none';
  throw new PlatError(
    'feed_unknown',
    `There is no feed named ${name} in ${config.FEEDS_DIR}. Known feeds: ${known}.`,
    { status: 404 },
  );
}
