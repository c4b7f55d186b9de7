import type { DealSubject } from '../../../shared/deals/deal-board.ts';
import { type DealStage, dollars } from '../../../shared/deals/deal-terms.ts';
import { isoDate } from '../../../shared/model/figures.ts';
import { csv } from '../../../shared/platform/to-csv.ts';
import {
  addListing,
  changeListing,
  getListing,
  listDeals,
  removeListing,
} from '../../v1/deals/deal-endpoints.ts';
import type { Deal } from '../../v1/deals/deal-schema.ts';
import { Icon } from '../frame/icons.tsx';
import { Notice, Submit, Toast } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, type Reply, spreadsheet, type Visit } from '../frame/visit.ts';
import { findDeals } from './add-deal-page.tsx';
import { choicesOf } from './deals-add.ts';
import { nameOf, readBoard, STAGE_NAMES } from './deals-board.ts';
import { Board } from './deals-cards.tsx';
import { AddForm, Choices, readFields, requireStage, SameDeal, subjectIn } from './deals-form.tsx';

/** What the page shows in addition to the board. */
type BoardResult = {
  bad?: string;
  choices?: Awaited<ReturnType<typeof choicesOf>>;
  /** The deals that the board already has for an added parcel. */
  same?: { deals: Deal[]; subject: DealSubject };
  /** A deal that was moved to another stage, as it was before the move. */
  moved?: Deal;
  /** A deal to remove once the user confirms it. */
  removing?: Deal;
};

const boardPage: Page = {
  path: '/deals',
  access: 'app',
  show: (visit, { bad }) => show(visit, { bad }),
  actions: {
    add,
    async move(visit) {
      const before = await findDeal(visit);
      await moveTo(visit);
      return before.status === visit.form.get('status') ? TO_BOARD : show(visit, { moved: before });
    },
    async undo(visit) {
      await findDeal(visit);
      await moveTo(visit);
      return TO_BOARD;
    },
    up: visit => step(visit, -1),
    down: visit => step(visit, 1),
    remove: async visit => show(visit, { removing: await findDeal(visit) }),
    async remove_now(visit) {
      await callEndpoint(visit, removeListing, paramsOf(visit));
      return TO_BOARD;
    },
  },
};

const TO_BOARD: Reply = { redirect: '/deals' };

const paramsOf = ({ form }: Visit) => ({ params: { id: form.get('id') ?? '' } });
const findDeal = (visit: Visit) => callEndpoint<Deal>(visit, getListing, paramsOf(visit));

/** Moves a deal to the stage and position given in the form. */
async function moveTo(visit: Visit): Promise<void> {
  const position = visit.form.get('position');
  const status = visit.form.get('status') ?? '';
  const body = { status, ...(position !== null && { position: Number(position) }) };
  await callEndpoint(visit, changeListing, { ...paramsOf(visit), body });
}

async function step(visit: Visit, by: number): Promise<Reply> {
  const { position } = await findDeal(visit);
  const body = { position: Math.max(0, position + by) };
  await callEndpoint(visit, changeListing, { ...paramsOf(visit), body });
  return TO_BOARD;
}

async function add(visit: Visit): Promise<Reply> {
  const { form } = visit;
  const fields = requireStage(readFields(form, false));
  const named = subjectIn(form);
  const choices = named
    ? [{ subject: named }]
    : await choicesOf(visit, form.get('what') ?? '', form.get('county') ?? '');
  if (choices.length > 1) return show(visit, { choices: choices as BoardResult['choices'] });
  const { subject } = choices[0]!;
  const deals = form.get('again') === null ? await findDeals(visit, subject) : [];
  if (deals.length > 0) return show(visit, { same: { deals, subject } });
  await callEndpoint(visit, addListing, { body: { ...subject, ...fields } });
  return TO_BOARD;
}

async function show(visit: Visit, { bad, choices, same, moved, removing }: BoardResult) {
  const view = await readBoard(visit);
  const given = bad === undefined && choices === undefined && same === undefined ? undefined : visit.form;
  const adding = given?.get('do') === 'add';
  const total = view.lanes
    .filter(({ stage }) => stage !== 'canceled')
    .reduce((sum, { profitCents }) => sum + (profitCents ?? 0n), 0n);
  const body = (
    <div class="dealing">
      <header class="pagehead">
        <div>
          <h1>Deals</h1>
          <div id="totals">
            <p>
              {view.count === 0
                ? "Lots you're selling, by stage"
                : `${view.count} ${view.count === 1 ? 'deal' : 'deals'} · expected profit ${dollars(total)}, excluding canceled deals`}
            </p>
          </div>
        </div>
        <div class="buttons">
          <a class="button second" href="/deals/export.csv">
            <Icon name="download" />
            Export CSV
          </a>
        </div>
      </header>
      <div id="messages">
        {bad !== undefined && <Notice kind="bad">{bad}</Notice>}
        {removing && <ConfirmRemoval deal={removing} />}
        {moved && <Moved from={moved} to={visit.form.get('status') as DealStage} />}
        {same && given && <SameDeal {...same} given={given} />}
        {choices && given && <Choices choices={choices} given={given} />}
        <AddForm given={adding ? given : undefined} open={view.count === 0} />
      </div>
      <p class="unseen" id="announcement" role="status" />
      <Board view={view} />
      <p class="keys" hidden>
        Drag a card to move it. With the keyboard, press Tab until the deal's name is focused, then use the
        arrow keys: left and right change the stage, and up and down change the order.
      </p>
    </div>
  );
  return { title: 'Deals', body, assetNames: ['cards.css', 'deals.css', 'deals.mjs'] };
}

/** A toast for a move to another stage, with a button to undo it. */
const Moved = ({ from, to }: { from: Deal; to: DealStage }) => (
  <Toast words={`${nameOf(from)} moved to ${STAGE_NAMES[to]}`}>
    <form method="post" action="/deals">
      {(['id', 'status', 'position'] as const).map(name => (
        <input type="hidden" name={name} value={from[name]} />
      ))}
      <Submit label="Undo" does="undo" kind="second small" />
    </form>
  </Toast>
);

const ConfirmRemoval = ({ deal }: { deal: Deal }) => (
  <div class="notice warn" role="status">
    <Icon name="triangle-alert" />
    <div>
      <p>
        Remove {nameOf(deal)} from the board? Its figures and history are deleted too. You can't undo this.
      </p>
      <form method="post" action="/deals" class="buttons">
        <input type="hidden" name="id" value={deal.id} />
        <a class="button second small" href="/deals">
          Keep deal
        </a>
        <Submit label={`Remove ${nameOf(deal)}`} does="remove_now" kind="danger small" />
      </form>
    </div>
  </div>
);

const COLUMNS = [
  ...(['id', 'status', 'address', 'county', 'state', 'acreage', 'property_id', 'price'] as const),
  ...(['days_on_market', 'views', 'saves', 'listing_grade', 'price_advantage', 'traction_score'] as const),
  ...(['suggested_action', 'suggested_action_price', 'advice', 'advised_price'] as const),
  ...(['deal_type', 'purchase_price', 'agent_fee'] as const),
  ...(['misc_costs', 'closing_costs', 'expected_sell_price', 'expected_profit'] as const),
  ...(['contract_expiration_date', 'closing_date', 'fetch_status', 'listing_url', 'created_at'] as const),
];

/** The board as a CSV file. */
const exportPage: Page = {
  path: '/deals/export.csv',
  access: 'app',
  async get(visit) {
    const deals = await callEndpoint<Deal[]>(visit, listDeals);
    const rows = deals.map(deal => ({
      ...deal,
      advice: deal.advice?.action ?? '',
      advised_price: deal.advice?.price ?? null,
    }));
    return spreadsheet(csv(rows, COLUMNS), `plat-deals-${isoDate(visit.deps.now())}.csv`);
  },
};

export const dealsPages = [boardPage, exportPage];
