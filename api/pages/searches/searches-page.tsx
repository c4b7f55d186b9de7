import { count, day, moment } from '../../../shared/model/figures.ts';
import { UUID } from '../../../shared/model/uuid.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import { BECAME_WORDS, nameNotes, shownChanges } from '../../../shared/searches/search-notes.ts';
import {
  endMails,
  findMailReader,
  type MailReader,
  markSeen,
} from '../../../shared/searches/search-statements.ts';
import type { Notify } from '../../../shared/searches/search-terms.ts';
import { notFound, validationError } from '../../http/error-responses.ts';
import { isTooDeep } from '../../http/validate.ts';
import { changeSearch, createSearch, deleteSearch } from '../../v1/searches/search-endpoints.ts';
import { findSearch, listRows } from '../../v1/searches/search-schema.ts';
import { Result } from '../frame/form-result.tsx';
import type { FormResult } from '../frame/forms.ts';
import { Act, Back, Empty, Field, Grid, Notice, narrowPage, Select, Submit } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, requireAccount, type Visit } from '../frame/visit.ts';
import { mailProblem } from '../parts/mail-problem.ts';
import { listCounties, readFilters } from '../parts/read-filters.ts';
import { mapOf, nameOfFilter, wordsOf } from './search-words.ts';

const WORDS: Record<Notify, string> = {
  none: 'No emails',
  daily: 'Email me daily',
  at_once: 'Email me instantly',
};

const OPTIONS = Object.entries(WORDS) as [Notify, string][];

const placesOf = (counties: readonly number[]): string =>
  counties.length > 3 ? `${counties.length} counties` : counties.map(countyText).join('; ');

/** The company's saved searches. If the URL has a search, also the form that saves it. */
const searchesPage: Page = {
  path: '/searches',
  access: 'app',
  show: showAll,
  actions: {
    async default(visit) {
      const { id } = await callEndpoint<{ id: string }>(visit, createSearch, {
        body: { name: visit.form.get('name') ?? '', filter: filterOf(visit.form), ...emailsOf(visit, []) },
      });
      return { redirect: `/searches/${id}?saved=true` };
    },
  },
};

/** @throws PlatError `validation_error` for anything that our pages don't send */
function filterOf(form: URLSearchParams): unknown {
  try {
    const filter: unknown = JSON.parse(form.get('filter') ?? '{}');
    // The form shows it again, as text.
    if (!isTooDeep(filter)) return filter;
  } catch {
    // Reported below.
  }
  throw validationError({
    filter: ['must be the JSON of a search. Search on the map, then choose “Save search”'],
  });
}

/**
 * Who gets emails, and when, according to the form. Adds the user to the other recipients or removes them.
 */
function emailsOf({ form, session }: Visit, others: readonly string[]) {
  const notify = form.get('notify') ?? 'none';
  const own = session!.user.email;
  const rest = others.filter(email => email.toLowerCase() !== own.toLowerCase());
  if (notify !== 'none') return { notify, emails: [...rest, own] };
  return rest.length === 0 ? { notify, emails: [] } : { emails: rest };
}

async function rowsOf(visit: Visit) {
  const { companyId } = await requireAccount(visit);
  return { db: visit.deps.db, companyId, userId: visit.session!.user.id };
}

async function showAll(visit: Visit, result: FormResult) {
  const { db, companyId, userId } = await rowsOf(visit);
  const rows = await listRows(db, companyId, { userId });
  const isSaving = visit.url.search !== '' || visit.form.has('filter');
  const form = isSaving ? await saveForm(visit, result) : undefined;
  const body = (
    <>
      <h1>Saved searches</h1>
      {form}
      {rows.length === 0 && !form && (
        <Empty icon="bookmark" title="No saved searches yet">
          Search on <a href="/data">the map</a>, then choose “Save search”. Plat shows you which parcels are
          added, changed, or removed, and can email you.
        </Empty>
      )}
      {rows.length > 0 && (
        <Grid
          name="Saved searches"
          cards
          heads={['Name', 'Counties', 'Parcels', 'Emails']}
          rows={rows.map(row => [
            <>
              <a href={`/searches/${row.id}`}>{row.name}</a>{' '}
              {row.news > 0 && <span class="badge good">{count(row.news)} new</span>}
            </>,
            placesOf(row.counties),
            count(row.members),
            row.notify === 'none' || row.emails.length === 0
              ? 'None'
              : `${row.notify === 'daily' ? 'Daily' : 'Instantly'} to ${row.emails.join(', ')}`,
          ])}
        />
      )}
    </>
  );
  return { title: 'Saved searches', body, assetNames: ['cards.css'] };
}

/** The search in the URL, or in a form that was refused. */
async function searchOf(visit: Visit): Promise<Record<string, unknown>> {
  if (visit.form.has('filter')) return filterOf(visit.form) as Record<string, unknown>;
  const { filters, fault } = await readFilters(visit, () => listCounties(visit));
  if (fault !== undefined) throw fault;
  const { order: _, ...filter } = filters;
  return filter;
}

async function saveForm(visit: Visit, { bad, faults }: FormResult) {
  const filter = await searchOf(visit);
  const name = visit.form.get('name') ?? nameOfFilter(filter).slice(0, 200);
  return (
    <form method="post" action="/searches" class="stack narrow-form" data-dialog-content>
      <h2>Save search</h2>
      {bad !== undefined && !faults?.name && <Notice kind="bad">{bad}</Notice>}
      <input type="hidden" name="filter" value={JSON.stringify(filter)} />
      <Field
        label="Name"
        name="name"
        value={name}
        required
        maxlength={200}
        {...(faults?.name && { error: `The name ${faults.name.join('; ')}.` })}
      />
      <Field name="notify" label="When parcels are added, changed, or removed" hint={mailProblem(visit)}>
        <Select name="notify" options={OPTIONS} given="daily" />
      </Field>
      <div class="buttons">
        <Submit label="Save search" kind="primary" />
        <a class="button second" href={`/data${visit.url.search}`} data-close>
          Cancel
        </a>
      </div>
    </form>
  );
}

const MOST_SHOWN = 200;

const searchPage: Page = {
  path: '/searches/:id',
  access: 'app',
  show: showOne,
  get: visit => showOne(visit, visit.url.searchParams.has('saved') ? { good: 'Search saved.' } : {}),
  actions: {
    async change(visit) {
      const { db, companyId } = await rowsOf(visit);
      const before = await findSearch(db, companyId, idOf(visit));
      const body = { name: visit.form.get('name') ?? '', ...emailsOf(visit, before.emails) };
      await callEndpoint(visit, changeSearch, { params: { id: idOf(visit) }, body });
      return { good: 'Search saved.' };
    },
    async delete(visit) {
      await callEndpoint(visit, deleteSearch, { params: { id: visit.req.params.id } });
      return { redirect: '/searches' };
    },
  },
};

function idOf({ req }: Visit): string {
  const { id } = req.params;
  if (typeof id !== 'string' || !UUID.test(id))
    throw notFound("We can't find this saved search. It may have been deleted.");
  return id;
}

async function showOne(visit: Visit, result: FormResult) {
  const id = idOf(visit);
  const { db, companyId, userId } = await rowsOf(visit);
  const [row] = await listRows(db, companyId, { id, userId });
  if (row === undefined) throw notFound("We can't find this saved search. It may have been deleted.");
  const notes = await nameNotes(db, id, MOST_SHOWN);
  await markSeen(visit.deps.db, id, userId);
  const isMailed = row.emails.some(email => email.toLowerCase() === visit.session!.user.email.toLowerCase());
  const body = (
    <>
      <Back to="/searches" words="Saved searches" />
      <h1>{row.name}</h1>
      <Result of={result} />
      <p>
        {count(row.members)} parcels in {placesOf(row.counties)}
        {wordsOf(row.filter) === '' ? '' : `: ${wordsOf(row.filter)}`}.{' '}
        <a href={mapOf(row.filter)}>Show on map</a>
      </p>
      <News row={row} notes={notes} />
      <Settings row={row} isMailed={isMailed} problem={mailProblem(visit)} />
    </>
  );
  return { title: row.name, body, assetNames: ['cards.css'] };
}

type SearchRow = Awaited<ReturnType<typeof listRows>>[number];

function News({ row, notes }: { row: SearchRow; notes: Awaited<ReturnType<typeof nameNotes>> }) {
  return (
    <section>
      <h2>Changes</h2>
      {notes.length === 0 ? (
        <p>No changes since this search was saved on {day(row.created_at)}.</p>
      ) : (
        <Grid
          name="Changes"
          cards
          heads={['Parcel', 'Change', 'Time']}
          rows={notes.map((note, i) => [
            <>
              <a href={`/data?parcel=${note.property_id}`}>{note.name}</a>{' '}
              {i < row.news && <span class="badge good">new</span>}
              {note.detail && <small class="under">{note.detail}</small>}
            </>,
            <>
              {BECAME_WORDS[note.became]}
              {shownChanges(note, true).map(({ label, values }) => (
                <small class="under">{values === undefined ? label : `${label}: ${values}`}</small>
              ))}
            </>,
            moment(note.at),
          ])}
        />
      )}
    </section>
  );
}

type SettingsProps = { row: SearchRow; isMailed: boolean; problem: string | undefined };

function Settings({ row, isMailed, problem }: SettingsProps) {
  const recipients = row.emails.length > 0 ? `Sent to ${row.emails.join(', ')}.` : undefined;
  return (
    <section>
      <h2>Settings</h2>
      <form method="post" class="stack narrow-form">
        <Field label="Name" name="name" value={row.name} required maxlength={200} />
        <Field
          name="notify"
          label="Emails"
          hint={[recipients, problem].filter(Boolean).join(' ') || undefined}
        >
          <Select name="notify" options={OPTIONS} given={isMailed ? row.notify : 'none'} />
        </Field>
        <div class="buttons">
          <Submit label="Save changes" does="change" />
        </div>
      </form>
      <details>
        <summary>Delete</summary>
        <p>This deletes the search for everyone in your company and stops its emails and webhook messages.</p>
        <Act label="Delete search" does="delete" id={row.id} kind="danger" />
      </details>
    </section>
  );
}

/**
 * Unsubscribes a person from emails for one search, or for all of them (`?all=true`). It needs no sign-in,
 * because email programs send the form on their own (RFC 8058).
 */
const unsubscribePage: Page = {
  path: '/searches/unsubscribe/:token',
  access: 'public',
  fromAnywhere: true,
  async get(visit) {
    const { name, email } = await readerOf(visit);
    return narrowPage(
      'Unsubscribe',
      <>
        <p>
          {email} gets emails about changes in {isOfAll(visit) ? 'saved searches' : `“${name}”`}.
        </p>
        <form method="post">
          <Submit label="Unsubscribe" kind="primary" />
        </form>
      </>,
    );
  },
  actions: {
    async default(visit) {
      const { name } = await readerOf(visit);
      const all = isOfAll(visit);
      await endMails(visit.deps.db, String(visit.req.params.token), all);
      return narrowPage(
        "You're unsubscribed",
        <p>You'll no longer get emails about {all ? 'saved searches' : `“${name}”`}.</p>,
      );
    },
  },
};

const isOfAll = ({ url }: Visit): boolean => url.searchParams.get('all') === 'true';

async function readerOf(visit: Visit): Promise<MailReader> {
  const { token } = visit.req.params;
  const reader =
    typeof token === 'string' && UUID.test(token) ? await findMailReader(visit.deps.db, token) : undefined;
  if (reader === undefined) throw notFound("You're already unsubscribed from these emails.");
  return reader;
}

export const savedSearchPages = [searchesPage, unsubscribePage, searchPage];
