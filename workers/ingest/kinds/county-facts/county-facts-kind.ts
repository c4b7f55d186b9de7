import { feedKind, MAPPED } from '../../engine/feed-kind.ts';
import { COUNTY_FACT_ROWS, COUNTY_FACTS_SECTIONS, resolveCountyFacts } from './county-facts-feed.ts';

export const countyFacts = feedKind({
  kind: 'county_facts',
  sections: COUNTY_FACTS_SECTIONS,
  needs: { section: 'county_facts', holds: MAPPED },
  gates: ['empty_columns'],
  resolve: resolveCountyFacts,
  rows: { fields: COUNTY_FACT_ROWS, sections: ({ county_facts: input }) => ({ county_facts: input }) },
  recipe: async () => (await import('./county-facts-recipe.ts')).countyFactsRecipe,
});
