import { PlatError } from '../../../shared/base/errors.ts';
import { dollars, toCents } from '../../../shared/deals/deal-terms.ts';
import { count, day, usd } from '../../../shared/domain/figures.ts';
import { UUID } from '../../../shared/domain/uuid.ts';
import { notFound } from '../../http/error-responses.ts';
import { changeListing, getListing } from '../../v1/deals/deal-endpoints.ts';
import { type DealEvent, dealHistory } from '../../v1/deals/deal-history.ts';
import type { Deal } from '../../v1/deals/deal-schema.ts';
import { Back, Facts, Notice } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { answerForm, callEndpoint, type Visit } from '../frame/visit.ts';
import { Advice, acceptAdvice, ConfirmPrice, Undo, undoFields } from './deals-advice.tsx';
import { hasExpired, lotOf, nameOf, STAGE_NAMES } from './deals-board.ts';
import { Letter, shareOf, shown } from './deals-cards.tsx';
import { DealFields, readFields } from './deals-form.tsx';
import { History } from './deals-history.tsx';

/** One deal: its figures and what they come from, what is said of it, and what happened to it. */
export const dealPage: Page = {
  path: '/deals/:id',
  access: 'app',
  get: visit => show(visit, {}),
  post: visit =>
    answerForm(
      async () => {
        await callEndpoint(visit, changeListing, { params: idIn(visit), body: await changesIn(visit) });
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

/** What the form changes: the fields, or the price that is advised, or what that replaced. */
async function changesIn(visit: Visit) {
  const does = visit.form.get('do');
  if (does !== 'take' && does !== 'undo') return readFields(visit.form, true);
  const [deal, events] = await read(visit);
  if (does === 'take') return acceptAdvice(deal, visit.form.get('price'));
  const undo = undoFields(deal, events);
  if (undo === undefined) throw new PlatError('validation_error', 'The price has been changed since.');
  return undo;
}

function read(visit: Visit): Promise<[Deal, DealEvent[]]> {
  const params = idIn(visit);
  return Promise.all([
    callEndpoint<Deal>(visit, getListing, { params, query: { explain: 'true' } }),
    callEndpoint<DealEvent[]>(visit, dealHistory, { params }),
  ]);
}

async function show(visit: Visit, { bad }: { bad?: string }) {
  const [deal, events] = await read(visit);
  const undo = undoFields(deal, events);
  const name = nameOf(deal);
  const body = (
    <div class="dealing">
      <Back to="/deals" words="All deals" />
      <h1>
        {name} <Letter grade={deal.listing_grade} />
      </h1>
      <p>{[lotOf(deal), STAGE_NAMES[deal.status]].filter(Boolean).join(' · ')}</p>
      {bad !== undefined && <Notice kind="bad">{bad}</Notice>}
      {visit.url.searchParams.get('change') === 'price' && <ConfirmPrice deal={deal} />}
      {undo && <Undo deal={deal} undo={undo} />}
      {hasExpired(deal, day(visit.deps.now())) && (
        <Notice kind="bad">Its contract ended on {deal.contract_expiration_date}: is the date right?</Notice>
      )}
      <Facts
        kind="key"
        of={[
          ['List price', deal.price === null ? '–' : usd(deal.price)],
          ['Expected profit', dollars(toCents(deal.expected_profit))],
          ['Cheaper than', shareOf(deal.price_advantage)],
          ['Buyer interest', shown(deal.traction_score)],
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
            Open listing
          </a>
        )}
      </p>
      <h2>Price and costs</h2>
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

const estimate = (decimal: string | null): string => (decimal === null ? '' : usd(Number(decimal)));

/** The figures behind the grade and the advice, in words. */
function Why({ deal }: { deal: Deal }) {
  const { figures: of } = deal;
  if (!of) return null;
  const perAcre = of.price_per_acre === null ? '' : ` It asks ${usd(of.price_per_acre)} an acre.`;
  return (
    <details>
      <summary>Why</summary>
      <ul>
        <li>
          Price: {of.dearer_listings ?? 0} of {count(of.active_listings)} other active listings of the county
          ask more per acre.{perAcre}
          {of.competitive_price !== null &&
            ` Up to ${money(of.competitive_price)} it would be cheaper than 60 % of those like it.`}
        </li>
        <li>
          Buyer interest: {of.interest} views and ten times the saves a day,{' '}
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
            Estimated value: {estimate(of.mean_adjusted_price)}, 80 % range {estimate(of.low_price)} –{' '}
            {estimate(of.high_price)}.
          </li>
        )}
        <li>
          Spent so far: {money(of.total_spend)}. Score {of.score ?? '–'} of 100, as of {day(of.as_of)}.
        </li>
      </ul>
    </details>
  );
}
