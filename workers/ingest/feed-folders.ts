import { join } from 'node:path';
import type { Config } from '../../shared/platform/config.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { rootDir } from '../../shared/platform/root.ts';
import type { Feed } from './all-kinds.ts';
import type { FeedList } from './load-feeds.ts';

/**
 * The operator's feeds, and the bundled feeds that are turned on. On a name conflict, the operator's feed
 * wins.
 */
export async function installedFeeds(config: Config, only?: string): Promise<FeedList> {
  // Import on demand, because reading feed files loads all schemas, which most commands don't need.
  const { listFeeds } = await import('./load-feeds.ts');
  const sample = config.SAMPLE_FEEDS ? [sampleDir] : [];
  const usgs = config.USGS_IMAGERY ? [usgsDir] : [];
  return listFeeds([config.FEEDS_DIR, ...usgs, ...sample], only);
}

export const sampleDir = join(rootDir, 'workers', 'sample', 'feeds');
const usgsDir = join(rootDir, 'workers', 'feeds', 'usgs');

export const isBundled = ({ baseDir }: Feed): boolean => baseDir === sampleDir || baseDir === usgsDir;

/** Ignores faults in other files. @throws `feed_duplicate`, `feed_unknown` with all names and faults */
export async function installedFeed(config: Config, name: string): Promise<Feed> {
  const { feeds: named } = await installedFeeds(config, name);
  const feed = named.find(candidate => candidate.name === name);
  if (feed) return feed;
  const { feeds, faults } = await installedFeeds(config);
  const own = faults.find(fault => fault.name === name);
  if (own) throw own.error;
  const known = feeds.map(candidate => candidate.name).join(', ') || 'none';
  const faulty = faults.map(({ error }) => `\n${error.message}`).join('');
  throw new PlatError(
    'feed_unknown',
    `There is no feed named ${name} in ${config.FEEDS_DIR}. Known feeds: ${known}.${faulty && ` Faulty files:${faulty}`}`,
  );
}
