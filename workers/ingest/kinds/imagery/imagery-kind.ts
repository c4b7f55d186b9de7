import { feedKind } from '../../engine/feed-kind.ts';
import { IMAGERY_SECTIONS, resolveImagery } from './imagery-feed.ts';

/** Aerial imagery: files, or a server that Plat queries when it creates a picture. */
export const imagery = feedKind({
  kind: 'imagery',
  sections: IMAGERY_SECTIONS,
  needs: { section: 'imagery', holds: 'which files or server to read' },
  gates: ['max_coverage_drop_percent'],
  // An index may list the files of a whole state.
  gateDefaults: { max_outside_coverage_percent: 100 },
  resolve: resolveImagery,
  recipe: async () => (await import('./imagery-recipe.ts')).imageryRecipe,
});
