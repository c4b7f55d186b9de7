import type { OverlayCondition } from '../../../shared/parcels/filter/overlay-filter.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import { chipsOf } from '../parts/filter-words.ts';
import { addOverlays } from '../parts/overlay-parameters.ts';

type SavedFilter = Readonly<Record<string, unknown>>;

export function mapOf(filter: SavedFilter): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(filter))
    if (name === 'overlays') addOverlays(params, value as OverlayCondition[]);
    else params.set(name, Array.isArray(value) ? value.join(',') : String(value));
  return `/data?${params}`;
}

/** What a filter has besides the county: `5 – 20 acres · Out of state`. */
export const wordsOf = (filter: SavedFilter): string =>
  chipsOf(new URL(mapOf(filter), 'http://localhost'))
    .map(({ words }) => words)
    .join(' · ');

/** A filter as a name: `Sullivan, NH: 5 – 20 acres`. */
export function nameOfFilter(filter: SavedFilter): string {
  const county = typeof filter.county === 'string' ? countyText(Number(filter.county)) : 'Search';
  return [county, wordsOf(filter)].filter(Boolean).join(': ');
}
