/** Counties and their equivalents are stored without the word: `Sullivan`, not `Sullivan County`. */
const KINDS = new Set(['county', 'parish', 'borough', 'municipality', 'municipio']);

/**
 * What people type to find a region, as LIKE patterns for `regions.search_words` (0008_saved_markets.sql), one a word: a
 * word of the region begins with it. Accents and case do not matter, apostrophes are left out, hyphens and dots part words;
 * whatever else is typed stands for itself. What kind of county it is says nothing.
 */
export function wordPatterns(text: string): string[] {
  const words = text
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f'’]/g, '')
    .toLowerCase()
    .split(/[\s.,/()-]+/)
    .filter(word => word !== '');
  const telling = words.filter(word => !KINDS.has(word));
  return (telling.length > 0 ? telling : words).map(word => `% ${word.replaceAll(/[\\%_]/g, '\\$&')}%`);
}
