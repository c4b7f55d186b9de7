import { parseMoney } from '../../../shared/deals/deal-terms.ts';
import { REPLY_STATUSES, setDeal } from '../../../shared/lists/replies.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { notFound } from '../../http/error-responses.ts';
import { addListing } from '../../v1/deals/deal-endpoints.ts';
import type { Deal } from '../../v1/deals/deal-schema.ts';
import { changeRows } from '../../v1/lists/change-list-rows.ts';
import type { FormResult } from '../frame/forms.ts';
import { Icon } from '../frame/icons.tsx';
import { Crumbs, Empty, Field, Notice } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, type Reply, type Visit } from '../frame/visit.ts';
import { findReplies, type ReplyMatch } from './find-replies.ts';
import { STATUS_WORDS } from './list-words.ts';
import { letterWords, ReplyCard } from './reply-card.tsx';

/** Logs an owner's reply to a letter, found by its reference or the caller's number. */
export const repliesPage: Page = {
  path: '/replies',
  access: 'app',
  show,
  actions: { default: save },
};

const queryOf = ({ url }: Visit): string => (url.searchParams.get('q') ?? '').slice(0, 100);

/** Whether a form or a URL names the row. */
const isRow = ({ list_id, property_id }: ReplyMatch, ...named: URLSearchParams[]): boolean =>
  named.some(one => one.get('list_id') === list_id && one.get('property_id') === String(property_id));

const rowQuery = ({ list_id, property_id }: ReplyMatch, q: string) => ({
  q,
  list_id,
  property_id: String(property_id),
});

async function save(visit: Visit): Promise<Reply> {
  const { form, deps } = visit;
  const matches = await findReplies(visit, queryOf(visit));
  const row = matches.find(one => isRow(one, form));
  if (row === undefined) throw notFound('This letter is no longer in your lists.');
  const status = REPLY_STATUSES.find(one => one === form.get('status'));
  if (status === undefined) throw new PlatError('validation_error', 'Choose what the owner said.');
  const price_asked = wholeDollars(form.get('price_asked'));
  const fields = status === 'under_contract' && row.deal_id === null ? dealFields(form) : undefined;
  const isSame = status === row.status;
  await callEndpoint(visit, changeRows, {
    params: { id: row.list_id },
    body: {
      property_ids: [row.property_id],
      note: (form.get('note') ?? '').replaceAll('\r\n', '\n').trim(),
      price_asked,
      ...(!isSame && { status }),
    },
  });
  if (fields !== undefined) {
    const body = { property_id: row.property_id, status: 'under_contract', ...fields };
    const { id } = await callEndpoint<Deal>(visit, addListing, { body });
    await setDeal(deps.db, row, id);
  }
  const said = new URLSearchParams({ ...rowQuery(row, queryOf(visit)), saved: 'true' });
  return { redirect: `/replies?${said}` };
}

const MONEY = {
  price_asked: 'Price asked',
  purchase_price: 'Purchase price',
  closing_costs: 'Closing costs',
  misc_costs: 'Other costs',
} as const;

/** @throws PlatError `validation_error` */
function moneyOf(name: keyof typeof MONEY, entered: string | null): string | null {
  const text = entered?.trim() ?? '';
  if (text === '') return null;
  const amount = parseMoney(text);
  if (amount !== undefined) return amount;
  const message = `"${text.slice(0, 40)}" isn't a dollar amount. Enter $18,400, 18.4k, or 18400.50`;
  throw new PlatError('validation_error', `${MONEY[name]}: ${message}`, { details: { [name]: [message] } });
}

/** The API has whole dollars for prices of lists. */
function wholeDollars(entered: string | null): number | null {
  const amount = moneyOf('price_asked', entered);
  return amount === null ? null : Math.round(Number(amount));
}

function dealFields(form: URLSearchParams): Record<string, string> {
  const names = ['purchase_price', 'closing_costs', 'misc_costs'] as const;
  const amounts = names.flatMap(name => {
    const amount = moneyOf(name, form.get(name));
    return amount === null ? [] : [[name, amount] as const];
  });
  const closing = form.get('closing_date') ?? '';
  return { ...Object.fromEntries(amounts), ...(closing !== '' && { closing_date: closing }) };
}

async function show(visit: Visit, { bad }: FormResult): Promise<Reply> {
  const q = queryOf(visit);
  const matches = q === '' ? [] : await findReplies(visit, q);
  const shown = matches.find(row => isRow(row, visit.form, visit.url.searchParams)) ?? matches[0];
  const saved = bad === undefined ? visit.url.searchParams.get('saved') : null;
  return {
    title: 'Log a reply',
    assetNames: ['cards.css', 'lists.css', 'replies.css'],
    body: (
      <div class="replies">
        <Crumbs of={[['Lists', '/lists'], ['Log a reply']]} />
        <h1>Log a reply</h1>
        <form method="get" action="/replies" class="find">
          <Field
            name="q"
            label="Reference on the letter, or phone number"
            value={q}
            required
            maxlength={100}
            autocomplete="off"
            placeholder="e.g., 26M-SVW or (603) 555-0101"
          />
          <button type="submit">
            <Icon name="search" /> Find
          </button>
        </form>
        {bad !== undefined && !shown && <Notice kind="bad">{bad}</Notice>}
        {saved !== null && <Saved row={shown} />}
        {q !== '' && matches.length === 0 && (
          <Empty icon="search-x" title="No letter found">
            No row of your lists has this reference or number. A number is found if your company looked it up
            in the last 30 days.
          </Empty>
        )}
        {shown && <ReplyCard row={shown} q={q} form={visit.form} bad={bad} isSaved={saved !== null} />}
        <OtherLetters of={matches.filter(row => row !== shown)} q={q} />
      </div>
    ),
  };
}

/** The owner's other letters, because the reply may be about one of them. */
const OtherLetters = ({ of, q }: { of: readonly ReplyMatch[]; q: string }) =>
  of.length === 0 ? null : (
    <>
      <h2>Other letters</h2>
      <ul>
        {of.map(row => (
          <li>
            <a href={`/replies?${new URLSearchParams(rowQuery(row, q))}`}>{letterWords(row)}</a>
          </li>
        ))}
      </ul>
    </>
  );

function Saved({ row }: { row: ReplyMatch | undefined }) {
  if (row === undefined) return null;
  return (
    <Notice kind="good" page={row.deal_id === null ? `/lists/${row.list_id}` : `/deals/${row.deal_id}`}>
      Reply saved: {STATUS_WORDS[row.status]}.{' '}
      {row.deal_id !== null && <a href={`/deals/${row.deal_id}`}>Open deal</a>}
    </Notice>
  );
}
