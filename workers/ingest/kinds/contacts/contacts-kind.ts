import { feedKind, MAPPED } from '../../engine/feed-kind.ts';
import { CONTACT_ROWS, CONTACT_SECTIONS, resolveContacts } from './contacts-feed.ts';

export const contacts = feedKind({
  kind: 'contacts',
  sections: CONTACT_SECTIONS,
  needs: { section: 'contacts', holds: MAPPED },
  gates: ['empty_columns'],
  resolve: resolveContacts,
  rows: { fields: CONTACT_ROWS, sections: ({ contacts: input }) => ({ contacts: input }) },
  recipe: async () => (await import('./contacts-recipe.ts')).contactsRecipe,
});
