import { findMainCounty } from '../../../shared/lists/list-statements.ts';
import { ROW_STATUSES, type RowStatus } from '../../../shared/lists/list-terms.ts';
import { countMailing, listRowDeals, REPLY_STATUSES } from '../../../shared/lists/replies.ts';
import { count, day, usd } from '../../../shared/model/figures.ts';
import { readRows } from '../../v1/lists/list-rows.ts';
import { findList, type ListRow, type ParcelList } from '../../v1/lists/list-schema.ts';
import { deleteList, getList, listLists } from '../../v1/lists/lists.ts';
import type { Action } from '../frame/forms.ts';
import { Icon } from '../frame/icons.tsx';
import { Stat, Submit, Toast } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, type Reply, requireAccount, type Visit } from '../frame/visit.ts';
import { listCounties } from '../parts/read-filters.ts';
import { addNumbers } from './add-numbers.ts';
import {
  askRemoval,
  changeStatus,
  idsOf,
  type ListChange,
  mailAgain,
  removeSelected,
  saveRow,
  saveSettings,
  stopMail,
  undo,
} from './change-list.ts';
import { enterOffer, priceRest, undoOffers } from './enter-offers.ts';
import { listIdOf } from './list-id.ts';
import { AddNumbers, DeleteList, ListSettings } from './list-settings.tsx';
import { ListTable, NoRows } from './list-table.tsx';
import { isStatus, plural, STATUS_WORDS } from './list-words.ts';
import { lookUpOwners, priceOfPhones } from './look-up-owners.ts';
import { MailingResults, saveLetterCost } from './mailing-results.tsx';
import { type ListPrices, readPrices } from './offers-out.ts';
import { PriceRest } from './row-offer.tsx';
import { readRowPhones } from './row-phones.tsx';

const PAGE_SIZE = 25;

const pathOfList = (id: string): string => `/lists/${id}`;

const listPage: Page = {
  path: '/lists/:id',
  access: 'app',
  largeForm: true,
  show: (visit, { bad }) =>
    showList(visit, listIdOf(visit), bad === undefined ? undefined : { words: bad, bad: true }),
  actions: {
    async settings(visit) {
      const id = listIdOf(visit);
      await saveSettings(visit, id);
      return { redirect: addressOf(visit, id) };
    },
    async delete(visit) {
      await callEndpoint(visit, deleteList, { params: { id: listIdOf(visit) } });
      return { redirect: '/lists' };
    },
    add: shownAfter(addNumbers),
    row: shownAfter(saveRow),
    offer: shownAfter(enterOffer),
    offers: shownAfter(undoOffers),
    price_rest: shownAfter(priceRest),
    undo: shownAfter(undo),
    letter_cost: shownAfter(saveLetterCost),
    phones: shownAfter(visit => priceOfPhones(idsOf(visit))),
    phones_now: shownAfter((visit, id) => lookUpOwners(visit, id, idsOf(visit))),
    remove: shownAfter(askRemoval),
    remove_now: shownAfter(removeSelected),
    do_not_mail: shownAfter(stopMail),
    mail_again: shownAfter(mailAgain),
    default: shownAfter(changeStatus),
  },
};

/** Changes the list in the URL and shows it with the result. */
function shownAfter(change: (visit: Visit, id: string) => Promise<ListChange> | ListChange): Action {
  return async visit => {
    const id = listIdOf(visit);
    return showList(visit, id, await change(visit, id));
  };
}

/** The numbers that the user sent, so that they can correct them. */
function sentNumbers({ form }: Visit, { numbers }: ListChange): { given?: string; county?: string } {
  const given = numbers ?? form.get('numbers');
  return given === null ? {} : { given, county: form.get('county') ?? '' };
}

function addressOf({ url }: Visit, id: string, changed: Record<string, string | undefined> = {}): string {
  const params = new URLSearchParams();
  const kept = ['status', 'price', 'page'].map(
    name => [name, url.searchParams.get(name) ?? undefined] as const,
  );
  const given = { ...Object.fromEntries(kept), ...changed };
  for (const [name, value] of Object.entries(given)) if (value) params.set(name, value);
  return params.size === 0 ? pathOfList(id) : `${pathOfList(id)}?${params}`;
}

/** The rows on the requested page, or on the last page if the request is past the end. */
async function readPage(visit: Visit, id: string, status: string | undefined, onlyUnpriced: boolean) {
  const asked = Math.max(1, Math.floor(Number(visit.url.searchParams.get('page'))) || 1);
  const read = (number: number) =>
    callEndpoint<{ count: number; results: ListRow[] }>(visit, readRows, {
      params: { id },
      query: {
        page: String(number),
        page_size: String(PAGE_SIZE),
        ...(status && { status }),
        ...(onlyUnpriced && { needs_price: 'true' }),
      },
    });
  const page = await read(asked);
  const pages = Math.max(1, Math.ceil(page.count / PAGE_SIZE));
  const number = Math.min(asked, pages);
  const { results } = number === asked ? page : await read(number);
  return { results, number, pages };
}

/** What the company knows about the rows of a page. */
async function readKnown(visit: Visit, id: string, rows: readonly ListRow[]) {
  const ids = rows.map(({ property_id }) => property_id);
  const [phones, deals] = await Promise.all([
    readRowPhones(visit, id, rows),
    listRowDeals(visit.deps.db, id, ids),
  ]);
  return { phones, deals };
}

const ASSETS = 'cards.css results.css phones.css lists.css replies.css lists.mjs exports.mjs'.split(' ');

export async function showList(visit: Visit, id: string, done?: ListChange): Promise<Reply> {
  const { searchParams } = visit.url;
  const asked = searchParams.get('status');
  const status = isStatus(asked) ? asked : undefined;
  const onlyUnpriced = searchParams.get('price') === 'needed';
  const [list, { results, number, pages }, counties, mainCounty, lists, { prices, mailing }] =
    await Promise.all([
      callEndpoint<ParcelList>(visit, getList, { params: { id } }),
      readPage(visit, id, status, onlyUnpriced),
      listCounties(visit),
      findMainCounty(visit.deps.db, id),
      callEndpoint<ParcelList[]>(visit, listLists),
      readResults(visit, id),
    ]);
  const known = await readKnown(visit, id, results);
  const others = lists.filter(other => other.id !== id);
  // Keep the selection after an error and while the user confirms an action.
  const selected = new Set(done?.bad ? idsOf(visit) : []);
  const action = addressOf(visit, id);
  const link = (to: number) => addressOf(visit, id, { page: to === 1 ? undefined : String(to) });
  return {
    title: list.name,
    assetNames: ASSETS,
    body: (
      <>
        <p class="crumb">
          <a href="/lists">‹ Lists</a>
        </p>
        <Head list={list} hasCalls={known.phones.hasCalls} isMailed={mailing.letters > 0} />
        {done && <DoneNotice done={done} action={action} />}
        <Counts list={list} prices={prices} />
        <MailingResults mailing={mailing} action={action} />
        <section class="list" id="rows" aria-label="Rows">
          <header class="viewrow">
            <Statuses list={list} status={onlyUnpriced ? null : status} visit={visit} />
            <ListSettings list={list} others={others} action={action} />
          </header>
          <NeedsPrice visit={visit} id={id} prices={prices} isShown={onlyUnpriced} />
          {onlyUnpriced && results.length > 0 && prices !== null && (
            <PriceRest needed={prices.needed} action={action} />
          )}
          {results.length === 0 ? (
            <NoRows list={list} onlyUnpriced={onlyUnpriced} />
          ) : (
            <ListTable list={list} rows={results} {...known} selected={selected} action={action} />
          )}
          {pages > 1 && <Pages number={number} pages={pages} link={link} />}
        </section>
        <AddNumbers
          action={action}
          counties={counties}
          county={counties.find(({ fips }) => fips === mainCounty)?.fips}
          {...(done?.bad && sentNumbers(visit, done))}
        />
        <DeleteList list={list} action={action} />
      </>
    ),
  };
}

type HeadProps = { list: ParcelList; hasCalls: boolean; isMailed: boolean };

function Head({ list, hasCalls, isMailed }: HeadProps) {
  return (
    <header class="pagehead">
      <div>
        <h1>{list.name}</h1>
        <p>
          <small>
            {sizeOf(list)} · updated {day(list.updated_at)}
          </small>
        </p>
      </div>
      {list.rows > 0 && (
        <div class="buttons">
          {isMailed && (
            <a class="button second" href="/replies">
              <Icon name="plus" /> Log a reply
            </a>
          )}
          {hasCalls && (
            <a class="button second" href={`/lists/${list.id}/calls`}>
              <Icon name="phone" /> Call sheet
            </a>
          )}
          <a class="button second" href={`/lists/${list.id}/letter`}>
            <Icon name="mail" /> Edit letter
          </a>
          <a class="button second" href={`/data?list_id=${list.id}`}>
            <Icon name="map" /> Show on map
          </a>
          <a class="button primary" href={`/exports?list_id=${list.id}`} data-dialog>
            <Icon name="download" /> Export
          </a>
        </div>
      )}
    </header>
  );
}

function Pages({ number, pages, link }: { number: number; pages: number; link(to: number): string }) {
  return (
    <nav class="pages" aria-label="Pages">
      {number > 1 && <a href={link(number - 1)}>Previous</a>}
      <span>
        {number} of {count(pages)}
      </span>
      {number < pages && <a href={link(number + 1)}>Next</a>}
    </nav>
  );
}

const shownRows = ({ counts = [] }: ParcelList): number => counts.reduce((sum, { rows }) => sum + rows, 0);

function sizeOf(list: ParcelList): string {
  const parcels = plural(list.rows, 'parcel');
  const rows = shownRows(list);
  if (list.one_per_assemblage) return `${parcels} in ${plural(rows, 'row')}`;
  return list.one_per_owner ? `${parcels} of ${plural(rows, 'owner')}` : parcels;
}

const countOf = ({ counts = [] }: ParcelList, status: string): number =>
  counts.find(one => one.status === status)?.rows ?? 0;

async function readResults(visit: Visit, id: string) {
  const { db } = visit.deps;
  const { companyId } = await requireAccount(visit);
  const list = await findList(db, companyId, id);
  return {
    prices: await readPrices(db, companyId, list),
    mailing: await countMailing(db, companyId, list),
  };
}

const MAILING_STATUSES: readonly RowStatus[] = ['new', 'mailed', 'answered', 'returned'];

/** The statuses that a mailing uses, and any others that have rows. */
function Counts({ list, prices }: { list: ParcelList; prices: ListPrices | null }) {
  const replies = REPLY_STATUSES.reduce((sum, status) => sum + countOf(list, status), 0);
  const unmailable = list.counts?.find(one => one.status === 'new')?.do_not_mail ?? 0;
  const sent = shownRows(list) - countOf(list, 'new');
  const notes: Partial<Record<RowStatus, string>> = {
    new: unmailable === 0 ? 'to be mailed' : `to be mailed, without ${count(unmailable)} do not mail`,
    mailed: 'no response yet',
    ...(sent > 0 && { answered: `${Math.round((100 * replies) / sent)}% response rate` }),
    returned: 'undeliverable',
  };
  const shown = ROW_STATUSES.filter(status => MAILING_STATUSES.includes(status) || countOf(list, status) > 0);
  return (
    <dl class="cards" id="counts">
      {shown.map(status => (
        <Stat
          card
          name={status === 'answered' ? 'Responses' : STATUS_WORDS[status]}
          value={count(
            status === 'answered' ? replies : countOf(list, status) - (status === 'new' ? unmailable : 0),
          )}
          note={notes[status]}
        />
      ))}
      {prices !== null && prices.offers > 0 && (
        <Stat card name="Offers out" value={usd(prices.dollars)} note={plural(prices.offers, 'offer')} />
      )}
    </dl>
  );
}

type StatusesProps = { list: ParcelList; status: string | null | undefined; visit: Visit };

/** @param status null if the rows are chosen by something else */
function Statuses({ list, status, visit }: StatusesProps) {
  const link = (to: string | undefined) =>
    addressOf(visit, list.id, { status: to, price: undefined, page: undefined });
  const some = ROW_STATUSES.filter(one => one === status || countOf(list, one) > 0);
  return (
    <nav class="seg" aria-label="Status">
      <a href={link(undefined)} aria-current={status === undefined ? 'true' : undefined}>
        All {count(shownRows(list))}
      </a>
      {some.map(one => (
        <a href={link(one)} aria-current={status === one ? 'true' : undefined}>
          {STATUS_WORDS[one]} {count(countOf(list, one))}
        </a>
      ))}
    </nav>
  );
}

type NeedsPriceProps = { visit: Visit; id: string; prices: ListPrices | null; isShown: boolean };

/** Leads to the rows without a price. The element stays when there are none, because scripts replace it. */
const NeedsPrice = ({ visit, id, prices, isShown }: NeedsPriceProps) => (
  <p id="needed">
    {prices !== null && (prices.needed > 0 || isShown) && (
      <a
        class="badge warn"
        href={addressOf(visit, id, { status: undefined, price: 'needed', page: undefined })}
        aria-current={isShown ? 'true' : undefined}
      >
        {plural(prices.needed, 'row')} {prices.needed === 1 ? 'needs' : 'need'} a price
      </a>
    )}
    {prices?.hasWeakEstimates && (
      <small>
        Plat makes no offers from estimates that are weak or missing. Choose another base for the offer, such
        as assessed value, or enter prices below.
      </small>
    )}
  </p>
);

/** The result of a form, with a button to undo or confirm it. */
function DoneNotice({ done, action }: { done: ListChange; action: string }) {
  const { words, bad, next, links = [] } = done;
  const form = next && (
    <form method="post" action={action} class="buttons">
      {next.fields.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <Submit label={next.label} does={next.does} kind="second small" />
      {bad && <a href={action}>Cancel</a>}
    </form>
  );
  if (form && !bad)
    return (
      <Toast words={words}>
        {links.map(({ label, href }) => (
          <a href={href} data-dialog>
            {label}
          </a>
        ))}
        {form}
      </Toast>
    );
  return (
    <div class={`notice ${bad ? 'warn' : 'good'}`} role="status" data-page={action}>
      <Icon name={bad ? 'triangle-alert' : 'circle-check'} />
      <div>
        {words}
        {links.map(({ label, href }, i) => (
          <>
            {i > 0 && ', '}
            <a href={href}>{label}</a>
          </>
        ))}
        {form}
      </div>
    </div>
  );
}

export const listPages = [listPage];
