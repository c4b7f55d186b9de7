import { findListingFacts } from '../../../shared/deals/deal-statements.ts';
import { DEAL_STAGES, type DealStage, parseMoney } from '../../../shared/deals/deal-terms.ts';
import { day, isoDate } from '../../../shared/model/figures.ts';
import { UUID } from '../../../shared/model/uuid.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { notFound } from '../../http/error-responses.ts';
import { changeListing, getListing } from '../../v1/deals/deal-endpoints.ts';
import { type DealEvent, dealHistory } from '../../v1/deals/deal-history.ts';
import type { Deal } from '../../v1/deals/deal-schema.ts';
import type { FormResult } from '../frame/forms.ts';
import { Icon } from '../frame/icons.tsx';
import { Crumbs, Notice, Panel, Submit } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, type Reply, type Visit } from '../frame/visit.ts';
import { Advice, answerAdvice } from './deals-advice.tsx';
import { boardOf, hasExpired, lotOf, nameOf, STAGE_NAMES } from './deals-board.ts';
import { isInterestKnown, Letter } from './deals-cards.tsx';
import { Changed, changeUndone, latestChange } from './deals-changed.tsx';
import { KeyFigures, Listing, Value, Why } from './deals-figures.tsx';
import { PriceForm, readFields } from './deals-form.tsx';
import { History } from './deals-history.tsx';
import {
  ConfirmPrice,
  confirmedPrice,
  money,
  priceFields,
  pricePath,
  undoablePrice,
} from './deals-price.tsx';

/** A single deal: its figures and where they come from, its price and costs, and its history. */
export const dealPage: Page = {
  path: '/deals/:id',
  access: 'app',
  show,
  actions: {
    async price(visit) {
      const price = confirmedPrice(visit.form);
      const { id } = idIn(visit);
      if (price === undefined) return { redirect: pricePath(id, visit.form.get('new_price')!) };
      const [deal, events] = await read(visit);
      return save(visit, priceFields(deal, price), events);
    },
    stage: visit => save(visit, { status: visit.form.get('status') ?? '' }),
    advice: visit => save(visit, answerAdvice(visit.form.get('answer'), visit.deps.now())),
    async undo_change(visit) {
      const [, events] = await read(visit);
      return patch(visit, changeUndone(events, visit.form.get('at')));
    },
    async undo(visit) {
      const undo = undoablePrice(...(await read(visit)));
      if (undo === undefined)
        throw new PlatError(
          'validation_error',
          'The price has changed in the meantime. Reload the page to see it.',
        );
      return patch(visit, undo.fields);
    },
    /** A new price must be confirmed before it is set. */
    async default(visit) {
      const [deal, events] = await read(visit);
      const { price, ...fields } = readFields(visit.form, true);
      const asks = price != null && deal.price !== null;
      const saved = await save(visit, asks || price === undefined ? fields : { ...fields, price }, events);
      return asks ? { redirect: pricePath(deal.id, price) } : saved;
    },
  },
};

function idIn({ req }: Visit): { id: string } {
  const id = String(req.params.id);
  if (!UUID.test(id)) throw notFound('Deal not found.');
  return { id };
}

async function patch(visit: Visit, body: object): Promise<Reply> {
  const params = idIn(visit);
  await callEndpoint(visit, changeListing, { params, body });
  return { redirect: `/deals/${params.id}` };
}

/** Saves and offers to undo. @param known the events before the change, if already read */
async function save(visit: Visit, body: object, known?: DealEvent[]): Promise<Reply> {
  const before = latestChange(known ?? (await readEvents(visit)))?.at;
  const saved = await patch(visit, body);
  const after = latestChange(await readEvents(visit))?.at;
  return after === before ? saved : { redirect: `/deals/${idIn(visit).id}?changed=${after}` };
}

const readEvents = (visit: Visit) => callEndpoint<DealEvent[]>(visit, dealHistory, { params: idIn(visit) });

function read(visit: Visit): Promise<[Deal, DealEvent[]]> {
  const params = idIn(visit);
  return Promise.all([
    callEndpoint<Deal>(visit, getListing, { params, query: { explain: 'true' } }),
    readEvents(visit),
  ]);
}

async function show(visit: Visit, { bad }: FormResult): Promise<Reply> {
  // Read the version before the deal, so that a change in between is sent twice rather than missed.
  const version = (await boardOf(visit))?.version ?? 0;
  const [deal, events] = await read(visit);
  const listing = await (deal.listing_id === null
    ? undefined
    : findListingFacts(visit.deps.db, deal.listing_id));
  const { searchParams } = visit.url;
  const undo = undoablePrice(deal, events);
  const name = nameOf(deal);
  const asked = visit.form.get('new_price') ?? askedIn(searchParams);
  const body = (
    <div class="dealing deal" data-version={version}>
      <Head deal={deal} name={name} />
      {asked !== undefined && <ConfirmPrice deal={deal} asked={asked} />}
      {bad !== undefined && <Notice kind="bad">{bad}</Notice>}
      {hasExpired(deal, isoDate(visit.deps.now())) && (
        <Notice kind="bad">
          The contract expired on {day(deal.contract_expiration_date!)}. Is the date right?
        </Notice>
      )}
      <KeyFigures deal={deal} />
      <div class="two">
        <div class="stack">
          <Advice deal={deal} today={isoDate(visit.deps.now())} />
          <PriceForm
            deal={deal}
            asking={listing?.price ?? null}
            given={bad === undefined ? suggested(searchParams) : visit.form}
          />
          <History
            events={events}
            isInterestKnown={isInterestKnown(deal)}
            undo={undo}
            now={visit.deps.now()}
          />
        </div>
        <aside class="stack" id="background" aria-label="Background">
          <Why deal={deal} />
          <Value deal={deal} />
          <Listing deal={deal} listing={listing} />
          <Aside deal={deal} />
        </aside>
      </div>
      <Changed deal={deal} events={events} undo={undo} at={searchParams.get('changed')} />
    </div>
  );
  return { title: name, body, assetNames: ['cards.css', 'deals.css', 'deal.mjs'] };
}

/** The price to confirm. Undefined unless a price change was requested. */
const askedIn = (params: URLSearchParams): string | undefined =>
  params.get('change') === 'price' ? (params.get('new_price') ?? '') : undefined;

/** Values that a link on the page enters in the form. */
function suggested(params: URLSearchParams): URLSearchParams | undefined {
  const sellPrice = parseMoney(params.get('expected_sell_price') ?? '');
  return sellPrice === undefined ? undefined : new URLSearchParams({ expected_sell_price: money(sellPrice) });
}

/** The stages of a deal that closes as planned. */
const STAGES: readonly DealStage[] = DEAL_STAGES.filter(stage => stage !== 'on_hold' && stage !== 'canceled');

function Head({ deal, name }: { deal: Deal; name: string }) {
  const { status, property_id: parcel, listing_url: url } = deal;
  const at = STAGES.indexOf(status);
  return (
    <>
      <Crumbs of={[['Deals', '/deals'], [STAGE_NAMES[status]]]} />
      <header class="pagehead" id="head">
        <div>
          <h1>
            {name} <Letter grade={deal.listing_grade} />
          </h1>
          <p>
            {lotOf(deal)}
            {parcel !== null && (
              <>
                {' '}
                · <a href={`/data?parcel=${parcel}`}>Show parcel on map</a>
              </>
            )}
          </p>
        </div>
        <div class="buttons">
          {url !== null && (
            <a class="button second" href={url} rel="noreferrer">
              Open listing
            </a>
          )}
          {parcel !== null && (
            <form method="post" action="/comping">
              <input type="hidden" name="property_id" value={parcel} />
              <button type="submit" class="second">
                <Icon name="scale" />
                Comp report
              </button>
            </form>
          )}
        </div>
      </header>
      <form method="post" action={`/deals/${deal.id}`}>
        <input type="hidden" name="do" value="stage" />
        <ol class="steps" aria-label="Stage">
          {STAGES.map((stage, i) => (
            <li
              class={i < at ? 'done' : i === at ? 'now' : undefined}
              aria-current={i === at ? 'step' : undefined}
            >
              <button type="submit" name="status" value={stage} disabled={i === at}>
                <span class="unseen">{i === at ? 'Current stage: ' : 'Move to: '}</span>
                {STAGE_NAMES[stage]}
              </button>
            </li>
          ))}
        </ol>
      </form>
    </>
  );
}

/** Buttons to pause, cancel, or remove a deal. */
function Aside({ deal: { id, status } }: { deal: Deal }) {
  return (
    <Panel id="aside" title="Close this deal">
      <div class="buttons">
        <form method="post" action={`/deals/${id}`} class="buttons">
          <input type="hidden" name="do" value="stage" />
          {(['on_hold', 'canceled'] as const)
            .filter(stage => stage !== status)
            .map(stage => (
              <button type="submit" name="status" value={stage} class="second small">
                {stage === 'on_hold' ? 'Put on hold' : 'Cancel deal'}
              </button>
            ))}
        </form>
        <form method="post" action="/deals">
          <input type="hidden" name="id" value={id} />
          <Submit label="Remove from board…" does="remove" kind="quiet small" />
        </form>
      </div>
    </Panel>
  );
}
