import { type CountyKind, isCountyOverlay } from '../../shared/feeds/county-feeds.ts';
import { readPreset } from '../feeds/presets.ts';
import type { Feed } from '../ingest/all-kinds.ts';

/** Whether a feed provides this data of its county, such as one of the overlays of the preset `soils`. */
export function fillsKind(feed: Feed, kind: CountyKind): boolean {
  if (!isCountyOverlay(kind)) return feed.kind === kind;
  const wanted = readPreset(kind).overlays ?? {};
  return feed.kind === 'overlay' && feed.overlays!.some(({ name }) => Object.hasOwn(wanted, name));
}
