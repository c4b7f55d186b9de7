import { feedKind } from '../../engine/feed-kind.ts';
import { COVERAGE_SECTION } from '../../layers/files-schema.ts';
import { ELEVATION_SECTIONS, resolveElevation } from './elevation-feed.ts';

/** Elevation: GeoTIFF files that slopes are computed from. */
export const elevation = feedKind({
  kind: 'elevation',
  sections: ELEVATION_SECTIONS,
  sharedSections: COVERAGE_SECTION,
  needs: { section: 'elevation', holds: 'which files to read' },
  gates: ['max_outside_percent', 'max_coverage_drop_percent'],
  // Tiles outside the coverage are fine, because an index can list the tiles of a whole state.
  gateDefaults: { max_outside_coverage_percent: 100 },
  resolve: resolveElevation,
  recipe: async () => (await import('./elevation-recipe.ts')).elevationRecipe,
});
