import type { Feed } from '../ingest/all-kinds.ts';

/** The URL that a feed reads. Null for a path. */
export function addressOf(feed: Feed): string | null {
  const section =
    feed.kind === 'assessor'
      ? feed.roll
      : feed.kind === 'listings'
        ? feed.listings
        : 'layer' in feed
          ? feed.layer
          : null;
  const tiles =
    feed.kind === 'elevation' && feed.elevation.tiles.by === 'template' ? feed.elevation.tiles : null;
  const source = tiles?.template ?? [section?.input.source].flat()[0];
  return source !== undefined && /^https?:/i.test(source) ? source : null;
}
