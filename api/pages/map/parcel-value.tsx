import { isOfParcel } from '../../../shared/comping/own-sale.ts';
import { type ConfidenceOrder, confidenceRanks } from '../../../shared/feeds/confidence-order.ts';
import type { CompPlace } from '../../../shared/market/market-statements.ts';
import { acres, day, percent, usd } from '../../../shared/model/figures.ts';
import { titleCase } from '../../../shared/model/roll-text.ts';
import { valuationProblems } from '../../../shared/model/valuation-problems.ts';
import { isTooWide } from '../../../shared/model/value-range.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import type { Comp } from '../../v1/market/comp-schema.ts';
import type { ExplainedValue } from '../../v1/valuation/ai-comp-value.ts';
import { Grid, Meter, Notice } from '../frame/layout.tsx';
import { confidenceBadge, confidenceText, ValueBand } from '../frame/value-band.tsx';
import { problemWords } from '../parts/problem-words.ts';
import type { Detail } from '../parts/read-detail.ts';
import type { SimilarSales } from './read-parcel.ts';

type RangeProps = { value: ExplainedValue; detail: Detail; order: ConfidenceOrder | null };

/** The estimate with its 80% range and confidence. */
export function EstimateRange({ value, detail, order }: RangeProps) {
  const { low_price: low, high_price: high } = value.explanation;
  const problems = problemsOf(value, detail);
  const isTooUncertain = isTooWide(low, high);
  return (
    <div>
      <ValueBand low={low} high={high} estimate={value.mean_adjusted_price} />
      <p class="small" data-useless={isTooUncertain ? '' : undefined}>
        <span
          class={confidenceBadge(value.confidence_score, order)}
          data-ranks={String(confidenceRanks(order))}
        >
          {confidenceText(value.confidence_score, order)}
        </span>{' '}
        {isTooUncertain
          ? 'Too uncertain to use: the range is too wide.'
          : problems.length > 0
            ? `Use this 80% range with caution. Reason: ${problemWords(problems).toLowerCase()}.`
            : '80% range: 4 in 5 similar lots sell within it.'}
      </p>
    </div>
  );
}

function problemsOf({ mean_adjusted_price, explanation }: ExplainedValue, detail: Detail) {
  return valuationProblems({
    fips: Number(detail.fips),
    retired: detail.retired_at != null,
    acres: detail.acres,
    calculated_acres: detail.calculated_acres,
    land_use_code: detail.land_use_code as string | null,
    value: mean_adjusted_price,
    value_low: explanation.low_price,
    value_high: explanation.high_price,
    out_of_support: explanation.out_of_support,
  });
}

export const similarSalesText = ({ fips, sizes, sales, medianPerAcre }: SimilarSales): string =>
  `Lots of ${sizes} in ${countyText(Number(fips))} sold for a median of ${usd(medianPerAcre)} per acre in the last year (${sales} ${sales === 1 ? 'sale' : 'sales'})`;

type UsedProps = { value: ExplainedValue; places: ReadonlyMap<string, CompPlace>; detail: Detail };

/** Marks a sale or listing of the parcel itself. */
const OwnMark = () => <span class="badge info own-sale">This parcel</span>;

function isOwn(detail: Detail, comp: CompPlace | undefined): boolean {
  const { apn, point, effective_acres: acres } = detail;
  if (point === null || comp === undefined || comp.lon === null || comp.lat === null) return false;
  return isOfParcel(
    { ...comp, lon: comp.lon, lat: comp.lat },
    { apn, lon: point[0]!, lat: point[1]!, acres },
  );
}

export function UsedComps({ value, places, detail }: UsedProps) {
  const { comps, as_of, neighborhood } = value.explanation;
  const ranked = comps.toSorted((a, b) => b.weight - a.weight);
  const most = ranked[0]?.weight ?? 1;
  return (
    <>
      <ul class="complist">
        {ranked.slice(0, 6).map(comp => (
          <li>
            <b>
              {titleCase(places.get(comp.id)?.address || 'Unknown address')}{' '}
              {isOwn(detail, places.get(comp.id)) && <OwnMark />}
            </b>
            <b class="num">
              {comp.lot_size ? usd(comp.price / comp.lot_size) : '–'}
              <small>/ac</small>
            </b>
            <span>
              {comp.sold_date === null ? 'For sale' : day(comp.sold_date)} ·{' '}
              {comp.lot_size === null ? '–' : acres(comp.lot_size)} ac · {usd(comp.price)}
            </span>
            <span class="num">
              <Meter percent={(100 * comp.weight) / most} /> {percent(100 * comp.weight)}
            </span>
          </li>
        ))}
      </ul>
      <p class="hint">
        Prices per acre are before adjustments. Bars show weight among the comps as of {day(as_of)}.
      </p>
      {neighborhood && (
        <p class="small" data-neighborhood={neighborhood.ppa}>
          {`Weight in the estimate: ${percent(100 * neighborhood.weight)} for the neighborhood's price level, ${usd(neighborhood.ppa)} per acre at this size. The comps share the remaining ${percent(100 - 100 * neighborhood.weight)}.`}
        </p>
      )}
      <details>
        <summary>All {comps.length} comps with adjustments</summary>
        <Grid
          name="Comps used in the estimate"
          heads={['Comp', 'Acres', 'Price', 'Size', 'Date', 'Location', 'Land', 'Weight']}
          rows={ranked.map(comp => [
            `${statusOf(comp)} ${comp.sold_date === null ? '' : day(comp.sold_date)}`,
            comp.lot_size === null ? '–' : acres(comp.lot_size),
            usd(comp.price),
            percent(comp.size_percent),
            percent(comp.time_percent),
            percent(comp.location_percent),
            comp.land_percent === null ? '–' : percent(comp.land_percent),
            percent(100 * comp.weight),
          ])}
        />
      </details>
    </>
  );
}

const STATUS: Record<string, string> = {
  ACTIVE: 'For sale',
  PENDING: 'Under contract',
  SOLD: 'Sold',
  OFF_MARKET: 'Off market',
};
const statusOf = ({ status }: { status: string }): string => STATUS[status] ?? status;

const MAX_NEARBY = 12;

/** Listings and sales within 5 miles, whether or not the estimate uses them. */
export function CompsNearby({ comps, detail }: { comps: Comp[]; detail: Detail }) {
  if (comps.length === 0) return <Notice>No listings or sales within 5 miles in the loaded data.</Notice>;
  return (
    <details>
      <summary>Comps within 5 mi</summary>
      <Grid
        name="Comps within 5 mi"
        heads={['Status', 'Acres', 'Price', 'Sold', 'Address']}
        rows={comps.slice(0, MAX_NEARBY).map(comp => [
          statusOf(comp),
          comp.lot_size === null ? '–' : acres(comp.lot_size),
          usd(comp.price),
          comp.sold_date === null ? '–' : day(comp.sold_date),
          <>
            {placeOf(comp)} {isOwn(detail, locationOf(comp)) && <OwnMark />}
          </>,
        ])}
      />
    </details>
  );
}

/** Comps that are listed by distance have a location. */
const locationOf = ({ address, apn, longitude, latitude }: Comp): CompPlace => ({
  address,
  apn,
  lon: Number(longitude),
  lat: Number(latitude),
});

/** A comp's address, with a link to its listing. */
function placeOf({ url, address }: Comp) {
  const place = titleCase(address);
  return url === '' ? (
    place || '–'
  ) : (
    <a href={url} rel="noreferrer">
      {place || 'Open listing'}
    </a>
  );
}
