import { count, day, moment } from '../../../shared/model/figures.ts';
import { UUID } from '../../../shared/model/uuid.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import { BECAME_WORDS, nameNotes, toldChanges } from '../../../shared/searches/search-notes.ts';
import {
  endMails,
  findMailReader,
  type MailReader,
  markSeen,
} from '../../../shared/searches/search-statements.ts';
import type { Notify } from '../../../shared/searches/search-terms.ts';
import { notFound, validationError } from '../../http/error-responses.ts';
import { changeSearch, createSearch, deleteSearch } from '../../v1/searches/search-endpoints.ts';
import { findSearch, listRows } from '../../v1/searches/search-schema.ts';
import { Result } from '../frame/form-result.tsx';
import type { FormResult } from '../frame/forms.ts';
import { Act, Back, Empty, Field, Grid, Notice, narrowPage, Select, Submit } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, requireAccount, type Visit } from '../frame/visit.ts';
import { listCounties, readFilters } from '../parts/read-filters.ts';
import { mapOf, nameOfFilter, wordsOf } from './search-words.ts';

const WORDS: Record<Notify, string> = {
  none: 'No mails',
  daily: 'Mail me once a day',
  at_once: 'Mail me at once',
};

const OPTIONS = Object.entries(WORDS) as [Notify, string][];

const placesOf = (counties: readonly number[]): string =>
  counties.length > 3 ? `${counties.length} counties` : counties.map(countyText).join('; ');

/** The saved searches of the company; with a search in the address, also the form that saves it. */
const searchesPage: Page = {
  path: '/searches',
  access: 'app',
  show: showAll,
  actions: {
    async default(visit) {
      const { id } = await callEndpoint<{ id: string }>(visit, createSearch, {
        body: { name: visit.form.get('name') ?? '', filter: filterOf(visit.form), ...tellingOf(visit, []) },
      });
      return { redirect: `/searches/${id}` };
    },
  },
};

/** @throws PlatError `validation_error` for what no page of ours has sent */
function filterOf(form: URLSearchParams): unknown {
  try {
    return JSON.parse(form.get('filter') ?? '{}');
  } catch {
    throw validationError({ filter: ['is no JSON: search on the map, and save that'] });
  }
}

/** Who is mailed when, by the form: whoever sends it joins the others, or leaves them. */
function tellingOf({ form, session }: Visit, others: readonly string[]) {
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

async function showAll(visit: Visit, { bad }: FormResult) {
  const { db, companyId, userId } = await rowsOf(visit);
  const rows = await listRows(db, companyId, { userId });
  const form = visit.url.search === '' ? undefined : await saveForm(visit);
  const body = (
    <>
      <h1>Saved searches</h1>
      {bad !== undefined && <Notice kind="bad">{bad}</Notice>}
      {form}
      {rows.length === 0 && !form && (
        <Empty icon="bookmark" title="No saved searches yet">
          Search on <a href="/data">the map</a> and press “Save search”: you are told what is added, changes
          hands or is gone.
        </Empty>
      )}
      {rows.length > 0 && (
        <Grid
          name="Saved searches"
          cards
          heads={['Name', 'Where', 'Parcels', 'Mails']}
          rows={rows.map(row => [
            <>
              <a href={`/searches/${row.id}`}>{row.name}</a>{' '}
              {row.news > 0 && <span class="badge good">{count(row.news)} new</span>}
            </>,
            placesOf(row.counties),
            count(row.members),
            row.notify === 'none' || row.emails.length === 0
              ? 'none'
              : `${row.notify === 'daily' ? 'daily' : 'at once'} to ${row.emails.join(', ')}`,
          ])}
        />
      )}
    </>
  );
  return { title: 'Saved searches', body, assetNames: ['cards.css'] };
}

async function saveForm(visit: Visit) {
  const { filters, fault } = await readFilters(visit, () => listCounties(visit));
  if (fault !== undefined) throw fault;
  const { order: _, ...filter } = filters;
  const name = nameOfFilter(filter).slice(0, 200);
  return (
    <form method="post" action="/searches" class="stack narrow-form">
      <input type="hidden" name="filter" value={JSON.stringify(filter)} />
      <Field label="Name" name="name" value={name} required maxlength={200} />
      <Field name="notify" label="When something is added, changes or is gone">
        <Select name="notify" options={OPTIONS} given="daily" />
      </Field>
      <div class="buttons">
        <Submit label="Save search" kind="primary" />
        <a href={`/data${visit.url.search}`}>Back to the map</a>
      </div>
    </form>
  );
}

const MOST_SHOWN = 200;

const searchPage: Page = {
  path: '/searches/:id',
  access: 'app',
  show: showOne,
  actions: {
    async change(visit) {
      const { db, companyId } = await rowsOf(visit);
      const before = await findSearch(db, companyId, idOf(visit));
      const body = { name: visit.form.get('name') ?? '', ...tellingOf(visit, before.emails) };
      await callEndpoint(visit, changeSearch, { params: { id: idOf(visit) }, body });
      return { good: 'The search is changed.' };
    },
    async delete(visit) {
      await callEndpoint(visit, deleteSearch, { params: { id: visit.req.params.id } });
      return { redirect: '/searches' };
    },
  },
};

function idOf({ req }: Visit): string {
  const { id } = req.params;
  if (typeof id !== 'string' || !UUID.test(id)) throw notFound('There is no such search.');
  return id;
}

async function showOne(visit: Visit, result: FormResult) {
  const id = idOf(visit);
  const { db, companyId, userId } = await rowsOf(visit);
  const [row] = await listRows(db, companyId, { id, userId });
  if (row === undefined) throw notFound('There is no such search.');
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
        <a href={mapOf(row.filter)}>Open on the map</a>
      </p>
      <News row={row} notes={notes} />
      <Settings row={row} isMailed={isMailed} />
    </>
  );
  return { title: row.name, body, assetNames: ['cards.css'] };
}

type SearchRow = Awaited<ReturnType<typeof listRows>>[number];

function News({ row, notes }: { row: SearchRow; notes: Awaited<ReturnType<typeof nameNotes>> }) {
  return (
    <section>
      <h2>What is new</h2>
      {notes.length === 0 ? (
        <p>Nothing since it was saved on {day(row.created_at)}.</p>
      ) : (
        <Grid
          name="What is new"
          cards
          heads={['Parcel', 'What', 'When']}
          rows={notes.map((note, i) => [
            <>
              <a href={`/data?parcel=${note.property_id}`}>{note.name}</a>{' '}
              {i < row.news && <span class="badge good">new</span>}
              {note.detail && <small class="under">{note.detail}</small>}
            </>,
            <>
              {BECAME_WORDS[note.became]}
              {toldChanges(note, true).map(({ label, values }) => (
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

function Settings({ row, isMailed }: { row: SearchRow; isMailed: boolean }) {
  return (
    <section>
      <h2>Settings</h2>
      <form method="post" class="stack narrow-form">
        <Field label="Name" name="name" value={row.name} required maxlength={200} />
        <Field
          name="notify"
          label="Mails"
          hint={row.emails.length > 0 ? `They go to ${row.emails.join(', ')}.` : undefined}
        >
          <Select name="notify" options={OPTIONS} given={isMailed ? row.notify : 'none'} />
        </Field>
        <div class="buttons">
          <Submit label="Change" does="change" />
        </div>
      </form>
      <details>
        <summary>Delete</summary>
        <p>It is deleted for the whole company, and nobody is told any more.</p>
        <Act label="Delete search" does="delete" id={row.id} kind="danger" />
      </details>
    </section>
  );
}

/**
 * Ends the mails of one search to one person, or of all (`?all=true`). Nobody need sign in: programs for mail
 * send the form by themselves (RFC 8058).
 */
const unsubscribePage: Page = {
  path: '/searches/unsubscribe/:token',
  access: 'public',
  fromAnywhere: true,
  async get(visit) {
    const { name, email } = await readerOf(visit);
    return narrowPage(
      'No more mails?',
      <>
        <p>
          {email} is mailed of what is new in {isOfAll(visit) ? 'saved searches' : `“${name}”`}.
        </p>
        <form method="post">
          <Submit label="End these mails" kind="primary" />
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
        'No more mails',
        <p>You get no more mails of {all ? 'saved searches' : `“${name}”`}.</p>,
      );
    },
  },
};

const isOfAll = ({ url }: Visit): boolean => url.searchParams.get('all') === 'true';

async function readerOf(visit: Visit): Promise<MailReader> {
  const { token } = visit.req.params;
  const reader =
    typeof token === 'string' && UUID.test(token) ? await findMailReader(visit.deps.db, token) : undefined;
  if (reader === undefined) throw notFound('These mails have ended already.');
  return reader;
}

export const savedSearchPages = [searchesPage, unsubscribePage, searchPage];
