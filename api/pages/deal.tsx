import { toCents } from '../../shared/domain/deals.ts';
import { UUID } from '../../shared/domain/uuid.ts';
import { notFound } from '../http/errors.ts';
import type { Deal } from '../v1/deal-flow/deal.ts';
import { changeListing, getListing } from '../v1/deal-flow/endpoints.ts';
import { type DealEvent, dealHistory } from '../v1/deal-flow/history.ts';
import { dollars, hasExpired, lotOf, nameOf, STAGE_NAMES } from './deals-board.ts';
import { Advice, Letter, shown } from './deals-cards.tsx';
import { DealFields, readFields } from './deals-form.tsx';
import { History } from './deals-history.tsx';
import { count, day, usd } from './figures.ts';
import { Back, Facts, Notice } from './layout.tsx';
import type { Page } from './pages.tsx';
import { answerForm, ask, type Visit } from './visit.ts';

/** One deal: its figures and what they come from, what is said of it, and what happened to it. */
export const dealPage: Page = {
  path: '/deals/:id',
  access: 'app',
  get: visit => show(visit, {}),
  post: visit =>
    answerForm(
      async () => {
        await ask(visit, changeListing, { params: idIn(visit), body: readFields(visit.form, true) });
        return { redirect: visit.url.pathname };
      },
      bad => show(visit, { bad }),
    ),
};

function idIn({ req }: Visit): { id: string } {
  const id = String(req.params.id);
  if (!UUID.test(id)) throw notFound('There is no such deal.');
  return { id };
}

async function show(visit: Visit, { bad }: { bad?: string }) {
  const params = idIn(visit);
  const [deal, events] = await Promise.all([
    ask<Deal>(visit, getListing, { params, query: { explain: 'true' } }),
    ask<DealEvent[]>(visit, dealHistory, { params }),
  ]);
  const name = nameOf(deal);
  const body = (
    <div class="dealing">
      <Back to="/deals" words="All deals" />
      <h1>
        {name} <Letter grade={deal.listing_grade} />
      </h1>
      <p>{[lotOf(deal), STAGE_NAMES[deal.status]].filter(Boolean).join(' · ')}</p>
      {bad !== undefined && <Notice kind="bad">{bad}</Notice>}
      {hasExpired(deal, day(visit.deps.now())) && (
        <Notice kind="bad">Its contract ended on {deal.contract_expiration_date}: is the date right?</Notice>
      )}
      <Facts
        kind="key"
        of={[
          ['Price', deal.price === null ? '–' : usd(deal.price)],
          ['Expected profit', dollars(toCents(deal.expected_profit))],
          ['Price advantage', shown(deal.price_advantage)],
          ['Traction', shown(deal.traction_score)],
          ['Days on market', shown(deal.days_on_market)],
          ['Views', shown(deal.views)],
          ['Saves', shown(deal.saves)],
        ]}
      />
      <Advice deal={deal} />
      <Why deal={deal} />
      <p class="buttons">
        {deal.property_id !== null && (
          <a class="button second" href={`/data?parcel=${deal.property_id}`}>
            Parcel on the map
          </a>
        )}
        {deal.listing_url !== null && (
          <a class="button second" href={deal.listing_url} rel="noreferrer">
            Its page
          </a>
        )}
      </p>
      <h2>What it costs, and when it closes</h2>
      <form method="post" class="stack">
        <div class="row">
          <DealFields deal={deal} given={bad === undefined ? undefined : visit.form} />
        </div>
        <div class="buttons">
          <button type="submit">Save</button>
        </div>
      </form>
      <History events={events} now={visit.deps.now()} />
    </div>
  );
  return { title: name, body, assetNames: ['deals.css'] };
}

const money = (decimal: string | null): string => (decimal === null ? '' : dollars(toCents(decimal)));

/** The figures behind the grade and the advice, in words. */
function Why({ deal }: { deal: Deal }) {
  const { figures: of } = deal;
  if (!of) return null;
  const reasons: Record<typeof of.reason, string> = {
    '': '',
    long_and_cheap:
      'It has been on the market over twice the usual time, at a price that most others are above.',
    dearer_than_others: 'Few others ask more per acre, and half of the usual time to sell is over.',
    above_value: 'It asks more than the sales around it support, and half of the usual time to sell is over.',
    no_lower_price: 'It is dear, but no lower price is both competitive and above what it has cost.',
    no_reason: 'Its price and its days on the market are within the usual.',
  };
  const perAcre = of.price_per_acre === null ? '' : ` It asks ${usd(of.price_per_acre)} an acre.`;
  return (
    <details>
      <summary>Why</summary>
      <ul>
        {of.reason !== '' && <li>{reasons[of.reason]}</li>}
        <li>
          Price advantage: {of.dearer_listings ?? 0} of {count(of.active_listings)} other active listings of
          the county ask more per acre.{perAcre}
          {of.competitive_price !== null && ` Up to ${money(of.competitive_price)} it would be 60.`}
        </li>
        <li>
          Traction: {of.interest} views and ten times the saves a day,{' '}
          {of.listings_with_views < 10
            ? 'by itself, as fewer than 10 other listings tell theirs.'
            : `against ${count(of.listings_with_views)} others.`}
        </li>
        <li>
          Days: the usual time to sell {of.bucket === null ? 'its acreage' : of.bucket} is{' '}
          {count(of.median_days_on_market)} days
          {of.sales === 0
            ? ', for want of sales that tell.'
            : `, by ${count(of.sales)} sales of the last year.`}
        </li>
        {of.mean_adjusted_price !== null && (
          <li>
            Worth by the sales around it: {money(of.mean_adjusted_price)}, four times in five between{' '}
            {money(of.low_price)} and {money(of.high_price)}.
          </li>
        )}
        <li>
          Spent so far: {money(of.total_spend)}. Score {of.score ?? '–'} of 100, as of {day(of.as_of)}.
        </li>
      </ul>
    </details>
  );
}
