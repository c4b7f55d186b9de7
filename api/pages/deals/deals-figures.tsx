import type { ComponentChildren } from 'preact';
import type { ListingFacts } from '../../../shared/deals/deal-statements.ts';
import { dollars } from '../../../shared/deals/deal-terms.ts';
import { gradeWeights } from '../../../shared/kernels/deal-grade.ts';
import { sizes } from '../../../shared/model/buckets.ts';
import { count, day, oneDigit, usd } from '../../../shared/model/figures.ts';
import type { Deal } from '../../v1/deals/deal-schema.ts';
import { Facts, Meter, Panel, Stat } from '../frame/layout.tsx';
import { ValueBand } from '../frame/value-band.tsx';
import { problemWords } from '../parts/problem-words.ts';
import { isInterestKnown, Letter, shareOf, shown } from './deals-cards.tsx';
import { against, expectedCents, money, soldForCents, spendOf } from './deals-price.tsx';

/** The figures at the top of the page, each with a note that puts it in context. */
export function KeyFigures({ deal }: { deal: Deal }) {
  const { price, acreage, figures, days_on_market: days, views, saves } = deal;
  const estimate = estimateOf(deal);
  const profit = expectedCents(deal);
  return (
    <dl class="cards" id="figures">
      <Stat
        card
        name="List price"
        value={price === null ? '–' : usd(price)}
        note={price !== null && acreage ? `${usd(price / acreage)} / acre` : 'Not listed yet'}
      />
      {estimate && (
        <Stat
          card
          name="Estimated value"
          value={usd(estimate.mean)}
          note={estimate.problems || `80% range ${usd(estimate.low)} – ${usd(estimate.high)}`}
        />
      )}
      <Stat
        card
        name="Expected profit"
        value={profit === null ? '–' : dollars(profit)}
        kind={profit === null ? undefined : profit < 0n ? 'bad' : 'good'}
        note={profitNote(deal, profit)}
      />
      <Stat
        card
        name="Days on market"
        value={shown(days)}
        note={
          figures &&
          `usual here: ${count(figures.median_days_on_market)}${figures.sales === 0 ? ' (assumed)' : ''}`
        }
      />
      <Stat
        card
        name="Views · saves"
        value={views === null && saves === null ? '–' : `${shown(views)} · ${shown(saves)}`}
        note={
          views === null || days === null
            ? 'Not reported'
            : `${oneDigit(views / Math.max(1, days))} views per day`
        }
      />
    </dl>
  );
}

function profitNote(deal: Deal, profit: bigint | null): string {
  if (profit === null) return 'Needs a list price or an expected sale price';
  const spend = spendOf(deal);
  const from =
    spend === 0n
      ? 'No costs entered'
      : `${count((100 * Number(profit)) / Number(spend))}% return on ${dollars(spend)} spent`;
  return soldForCents(deal) === null ? `At the estimated value. ${from}` : from;
}

type Estimate = {
  mean: number;
  low: number;
  high: number;
  /** Why the estimate doesn't count. Empty if it does. */
  problems: string;
};

function estimateOf({ figures }: Deal): Estimate | null {
  if (!figures) return null;
  const { mean_adjusted_price: mean, low_price: low, high_price: high, valuation_problems } = figures;
  if (mean === null || low === null || high === null) return null;
  return {
    mean: Number(mean),
    low: Number(low),
    high: Number(high),
    problems: problemWords(valuation_problems),
  };
}

/** The parts of the grade in words. */
export function Why({ deal }: { deal: Deal }) {
  const { figures: of, advice, listing_grade: grade } = deal;
  if (!of || of.score === null) return null;
  const { price_advantage: advantage, traction_score: interest, days_on_market: days } = deal;
  const sizeWords = of.bucket === null ? 'lots of this size' : sizes(of.bucket);
  return (
    <Panel
      id="why"
      title={grade === '' ? 'Not graded yet' : `Why ${grade.replace('-', '−')}`}
      aside={<Letter grade={grade} />}
    >
      {advantage !== null && (
        <Part name="Price" value={`cheaper per acre than ${shareOf(advantage)}`} of={advantage}>
          The grade compares all sizes: {of.dearer_listings ?? 0} of {count(of.active_listings)} other
          listings in the county are priced higher per acre.
          {advice?.like_advantage != null &&
            ` The advice adjusts prices for size: ${shareOf(advice.like_advantage)} of the ${count(advice.like_listings)} most similar listings are priced higher per acre.`}
          {of.competitive_price !== null &&
            ` At ${money(of.competitive_price)} or less, this lot would be cheaper than 60% of the most similar listings after that adjustment.`}
        </Part>
      )}
      {!isInterestKnown(deal) && (
        <p>
          <small>Buyer interest isn't reported, so it has no weight in the grade.</small>
        </p>
      )}
      {interest !== null && of.interest !== null && isInterestKnown(deal) && (
        <Part name="Buyer interest" value={`${interest} of 100`} of={interest}>
          {oneDigit(of.interest)} views per day, with each save counted as ten views.{' '}
          {of.listings_with_views < 10
            ? 'Scored on its own, because fewer than 10 other listings report views.'
            : `Compared with ${count(of.listings_with_views)} other listings that report views.`}
        </Part>
      )}
      {days !== null && of.freshness !== null && (
        <Part name="Time listed" value={`${count(days)} ${days === 1 ? 'day' : 'days'}`} of={of.freshness}>
          Usual for {sizeWords} here: {count(of.median_days_on_market)} days,{' '}
          {of.sales === 0
            ? 'an assumption, because there were no such sales in the last year.'
            : `from ${count(of.sales)} ${of.sales === 1 ? 'sale' : 'sales'} in the last year.`}
        </Part>
      )}
      <p>
        <small>
          Score {count(of.score)} of 100 as of {day(of.as_of)}: {weightsText(deal, of.freshness)}.
        </small>
      </p>
    </Panel>
  );
}

/** The weights that the score uses: "69% price, 31% time listed". */
function weightsText(deal: Deal, freshness: number | null): string {
  const { price_advantage: priceAdvantage, traction_score: interest } = deal;
  const traction = isInterestKnown(deal) ? interest : null;
  const weights = gradeWeights({ priceAdvantage, traction, freshness });
  const shareIn = (weight: number | undefined, name: string) =>
    weight === undefined ? [] : `${count(weight)}% ${name}`;
  return [
    shareIn(weights.priceAdvantage, 'price'),
    shareIn(weights.traction, 'buyer interest'),
    shareIn(weights.freshness, 'time listed'),
  ]
    .flat()
    .join(', ');
}

type PartProps = { name: string; value: string; of: number; children: ComponentChildren };

/** A part of the grade, with its score out of 100 as a bar. */
const Part = ({ name, value, of, children }: PartProps) => (
  <div class="part">
    <p class="label">
      <b>{name}</b> <span>{value}</span>
    </p>
    <Meter percent={of} low={of < 40} />
    <p>
      <small>{children}</small>
    </p>
  </div>
);

/** The parcel's estimated value, and how the list price compares to it. */
export function Value({ deal }: { deal: Deal }) {
  const estimate = estimateOf(deal);
  if (estimate === null) return null;
  const { mean, low, high, problems } = estimate;
  const { price, figures } = deal;
  return (
    <Panel id="value" title="Estimated value">
      <ValueBand low={low} high={high} estimate={mean} asked={price} />
      {price !== null && (
        <p>
          <small>
            The triangle marks the list price: {against(price, mean)} the estimate,{' '}
            {price < low ? 'below' : price > high ? 'above' : 'within'} the range.
          </small>
        </p>
      )}
      {price === null && figures?.competitive_price != null && (
        <p>
          <small>
            At {money(figures.competitive_price)} or less, the lot would be cheaper per acre than 60% of the
            most similar listings, after adjusting for size.
          </small>
        </p>
      )}
      {problems && (
        <p>
          <small>The advice doesn't use this estimate. {problems}.</small>
        </p>
      )}
    </Panel>
  );
}

export const LISTING_STATES: Record<Deal['fetch_status'], string> = {
  waiting: 'Searching…',
  found: 'Live',
  ended: 'Sold or off the market',
  not_found: 'Not found yet, checked daily',
  no_provider: 'Not in any listing feed',
  provider_failed: 'Provider unavailable, retrying daily',
};

/** The listing as it currently is at its source. */
type ListingProps = { deal: Deal; listing: ListingFacts | undefined };

export function Listing({ deal, listing }: ListingProps) {
  const { fetch_status: state, fetched_at: at } = deal;
  return (
    <Panel
      id="listing"
      title="Listing"
      aside={<span class={state === 'found' ? 'badge good' : 'badge'}>{LISTING_STATES[state]}</span>}
    >
      <Facts
        kind="filled"
        of={[
          ['Source', listing?.source ?? null],
          ['Listed on', listing?.listed_date ? day(listing.listed_date) : null],
          ['List price', listing?.price ? usd(listing.price) : null],
          ['Last checked', at === null ? 'Not yet' : day(at)],
        ]}
      />
    </Panel>
  );
}
