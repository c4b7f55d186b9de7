import type { CountyFacts } from '../../../shared/market/read-county-facts.ts';
import { COUNTY_FACT_KEYS, COUNTY_FACTS } from '../../../shared/model/county-facts.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import { shown } from './market-words.ts';

/** The county's population, growth, income, and housing permits, and the nearest metropolitan county. */
export function CountyPart({ facts: { values, years, metro } }: { facts: CountyFacts }) {
  const known = COUNTY_FACT_KEYS.filter(key => values[key] !== null);
  return (
    <section aria-labelledby="county">
      <h2 id="county">The county</h2>
      <dl class="cards">
        {known.map(key => (
          <div class="card stat" data-fact={key}>
            <dt>{COUNTY_FACTS[key].label}</dt>
            <dd>{shown(key, values[key])}</dd>
            <dd class="note">{key === 'metro_miles' && metro ? countyText(metro) : years[key]}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
