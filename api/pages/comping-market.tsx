import type { ReportSnapshot } from '../../shared/comping/report.ts';
import { sizes } from './figures.ts';
import { Comparison } from './layout.tsx';
import { COLUMNS, Legend, shown } from './market.tsx';

/** What the market does with lots of the subject's size, in its county and its ZIP code. */
export function Market({ snapshot: { bucket, county_market, zip_market } }: { snapshot: ReportSnapshot }) {
  const markets = [county_market, zip_market].filter(market => market !== null);
  if (bucket === null || markets.length === 0) return null;
  const isEmpty = markets.every(({ data }) => data === null);
  return (
    <section class="market">
      <h2>The market of lots of {sizes(bucket)}</h2>
      {isEmpty ? (
        <p>No listing of such a size is known in {markets.map(({ name }) => name).join(' or ')}.</p>
      ) : (
        <Comparison
          name={`The market of ${bucket}`}
          heads={markets.map(({ name }) => name)}
          rows={COLUMNS.map(key => [key, ...markets.map(({ data }) => shown(key, data?.[key]))])}
        />
      )}
      {!isEmpty && <Legend />}
      {!isEmpty && markets[0]!.as_of && (
        <p class="told">As of {markets[0]!.as_of}; a dash is a figure without any listing.</p>
      )}
    </section>
  );
}
