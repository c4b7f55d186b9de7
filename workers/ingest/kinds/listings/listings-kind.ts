import { feedKind, MAPPED } from '../../engine/feed-kind.ts';
import { LISTING_ROWS, LISTINGS_SECTIONS, resolveListings, SALES_SECTION } from './listings-feed.ts';

/** Listings and sales of lots. A sales file by parcel number has its own recipe. */
export const listings = feedKind({
  kind: 'listings',
  sections: LISTINGS_SECTIONS,
  sharedSections: SALES_SECTION,
  needs: { section: 'listings', holds: MAPPED },
  gates: ['max_key_drop_percent', 'max_outside_percent', 'empty_columns'],
  allowsFormerCounties: true,
  resolve: resolveListings,
  rows: { fields: LISTING_ROWS, sections: ({ listings: input }) => ({ listings: input }) },
  recipe: async ({ listings: { recorded } }) =>
    recorded === null
      ? (await import('./listings-recipe.ts')).listingsRecipe
      : (await import('./sales-recipe.ts')).salesRecipe,
});
