import { boxesMeet } from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/types.ts';
import type { LayerFeed } from '../../feeds/feed.ts';
import { type DeclaredPlace, homeBoxes } from './layer.ts';

/** Counts the features of a layer that lie wholly outside the coverage that its feed declares. */
export type PlaceCount = {
  /** Takes in the box around a feature. */
  take(extent: Box): void;
  /** Null where the feed declares no coverage. */
  result(): DeclaredPlace | null;
};

/** A feed that names a county too covers both. */
export function declaredPlace({ coverage, fips }: Pick<LayerFeed, 'coverage' | 'fips'>): PlaceCount {
  const boxes = coverage === null ? [] : [coverage, ...(fips === null ? [] : homeBoxes(fips))];
  let placed = 0;
  let outside = 0;
  return {
    take(extent) {
      placed++;
      if (!boxes.some(box => boxesMeet(box, extent))) outside++;
    },
    result: () => coverage && { coverage, placed, outside },
  };
}
