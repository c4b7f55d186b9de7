import { feedKind } from '../../engine/feed-kind.ts';
import { DNC_SECTIONS, resolveDnc } from './dnc-feed.ts';

export const dnc = feedKind({
  kind: 'dnc',
  sections: DNC_SECTIONS,
  needs: { section: 'dnc', holds: 'what to read' },
  gates: [],
  resolve: resolveDnc,
  recipe: async () => (await import('./dnc-recipe.ts')).dncRecipe,
});
