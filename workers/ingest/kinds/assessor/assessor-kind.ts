import { feedKind, MAPPED } from '../../engine/feed-kind.ts';
import { ASSESSOR_SECTIONS, PARCEL_ROWS, resolveAssessor } from './assessor-feed.ts';

/** Parcels with their owners and values, from rolls and a source of boundaries. */
export const assessor = feedKind({
  kind: 'assessor',
  sections: ASSESSOR_SECTIONS,
  needs: { section: 'roll', holds: MAPPED },
  gates: ['max_key_drop_percent', 'max_outside_percent', 'max_acreage_off_percent', 'empty_columns'],
  allowsFormerCounties: true,
  resolve: resolveAssessor,
  rows: {
    fields: PARCEL_ROWS,
    sections: ({ roll, furtherRolls, shape }) => ({
      roll,
      shape,
      ...Object.fromEntries(furtherRolls.map((input, i) => [`roll.${i + 1}`, input])),
    }),
  },
  recipe: async () => (await import('./assessor-recipe.ts')).assessorRecipe,
});
