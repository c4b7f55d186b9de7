import { count } from '../../../shared/model/figures.ts';
import { Icon } from '../frame/icons.tsx';
import { chipsOf } from '../parts/filter-words.ts';
import type { UnknownHits } from './unknown-hits.ts';

/** The active filters. Click one to remove it, or to exclude results with an unknown value. */
export function Chips({ url, unknownHits = [] }: { url: URL; unknownHits?: readonly UnknownHits[] }) {
  const chips = chipsOf(url);
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Active filters">
      {chips.map(({ words, names, without }) => {
        const hits = unknownHits.find(({ filter }) => names.includes(filter));
        return (
          <li>
            <a href={without} class="chip" aria-label={`Remove ${words}`}>
              {words}
              {hits && `: ${count(hits.known)} match`}
              <Icon name="x" />
            </a>
            {hits && (
              <a href={hits.without} class="chip unknown" title="Exclude parcels with an unknown value">
                {count(hits.unknown)} unknown
              </a>
            )}
          </li>
        );
      })}
    </ul>
  );
}
