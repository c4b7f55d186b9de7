import { feedKind, MAPPED } from '../../engine/feed-kind.ts';
import { NUMBERING_ROWS, NUMBERING_SECTIONS, resolveNumbering } from './numbering-feed.ts';

export const numbering = feedKind({
  kind: 'numbering',
  sections: NUMBERING_SECTIONS,
  needs: { section: 'numbering', holds: MAPPED },
  gates: ['empty_columns'],
  resolve: resolveNumbering,
  rows: { fields: NUMBERING_ROWS, sections: ({ numbering: input }) => ({ numbering: input }) },
  recipe: async () => (await import('./numbering-recipe.ts')).numberingRecipe,
});
