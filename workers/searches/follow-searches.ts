import { sendMail } from '../../shared/accounts/mail.ts';
import { countyOf } from '../../shared/model/property-id.ts';
import type { FilterBody } from '../../shared/parcels/filter/declare-filter.ts';
import { filterSchema } from '../../shared/parcels/filter/filter-schema.ts';
import type { Config } from '../../shared/platform/config.ts';
import type { Db } from '../../shared/platform/db.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { LOCKS, takeLock } from '../../shared/platform/locks.ts';
import type { Logger } from '../../shared/platform/log.ts';
import { appUrlOf } from '../../shared/platform/origin.ts';
import { findMembers } from '../../shared/searches/find-members.ts';
import { becameWords, nameNotes } from '../../shared/searches/search-notes.ts';
import type { Became } from '../../shared/searches/search-terms.ts';
import { WEBHOOKS_CHANNEL } from '../../shared/webhooks/webhook-terms.ts';

type Search = { id: string; filter: object; counties: number[]; seq: number };

type Changed = { seq: number; fips: number; property_id: number | null };

/** Change numbers by parcel. `loaded` is the number of the change that covers all parcels. */
type CountyChanges = {
  parcels: Map<number, number[]>;
  since: Map<number, readonly number[]>;
  loaded?: number;
};

type Note = { property_id: number; became: Became; seq: number | null };

type FollowDeps = {
  db: Db;
  log: Logger;
  config: Config;
  signal: AbortSignal;
  /**
   * Notes per write. If a search has more notes, they are still written all at once. The default takes a few
   * seconds.
   */
  together?: number;
};

const LOCK = { ask: 'pg_try_advisory_lock', lock: String(LOCKS.searches) };

/**
 * For each search, checks only the parcels that changed since it was last checked, and records which of them
 * were added to its results, removed from them, or changed. One worker at a time does this. If a search's
 * filter fails, that search keeps its place, and the others continue. Sends the emails at the end.
 */
export async function followSearches(deps: FollowDeps): Promise<void> {
  await deps.db.connection(async connection => {
    const [lock] = await connection.run<{ held: boolean }>('platform/try_lock', {}, LOCK);
    if (!lock!.held) return;
    const behind = await connection.run<Search & { head: number }>('searches/list_behind');
    if (behind.length > 0) await follow(connection, behind, deps);
    await mailSearches(deps.db, deps.config, deps.log);
    await connection.run('platform/unlock', {}, LOCK);
  });
}

async function follow(
  db: Db,
  behind: readonly (Search & { head: number })[],
  deps: FollowDeps,
): Promise<void> {
  const until = behind[0]!.head;
  const changed = await db.run<Changed>('searches/list_changed_parcels', {
    after: behind[0]!.seq,
    until,
    counties: [...new Set(behind.flatMap(({ counties }) => counties))],
  });
  const byCounty = groupChanges(changed);
  // The changed parcels that were already in each search's results.
  const rows = await db.run<{ search_id: string; property_ids: number[] }>('searches/list_memberships', {
    property_ids: [...byCounty.values()].flatMap(({ parcels }) => [...parcels.keys()]),
  });
  const members = new Map(rows.map(({ search_id, property_ids }) => [search_id, property_ids]));
  await checkAll(db, behind, until, deps, search =>
    checkSearch(db, search, byCounty, members.get(search.id) ?? []),
  );
}

const NOTES_PER_WRITE = 20_000;

/** Checks each search, and stores its notes and how far it has been checked. */
async function checkAll(
  db: Db,
  searches: readonly Search[],
  until: number,
  { log, signal, together = NOTES_PER_WRITE }: Pick<FollowDeps, 'log' | 'signal' | 'together'>,
  check: (search: Search) => Promise<Note[]>,
): Promise<number> {
  let checked: CheckedSearch[] = [];
  let waiting = 0;
  let noted = 0;
  const flush = async () => {
    await writeNotes(db, checked, until);
    noted += waiting;
    checked = [];
    waiting = 0;
  };
  for (const search of searches) {
    signal.throwIfAborted();
    try {
      const notes = await check(search);
      checked.push({ search, notes });
      waiting += notes.length;
    } catch (error) {
      // An earlier release accepted a shape that this one rejects. Skip these changes, because retries would
      // read all changes since then every minute.
      const isRefused = error instanceof PlatError && error.code === 'unprocessable';
      if (isRefused) checked.push({ search, notes: [] });
      const next = isRefused ? 'simplify its shape; these changes are skipped' : 'retrying';
      log.warn({ err: error, search: search.id }, `a search could not be checked; ${next}`);
    }
    if (waiting >= together) await flush();
  }
  await flush();
  return noted;
}

function groupChanges(changed: readonly Changed[]): Map<number, CountyChanges> {
  const byCounty = new Map<number, CountyChanges>();
  for (const { seq, fips, property_id: id } of changed) {
    const county: CountyChanges = byCounty.get(fips) ?? { parcels: new Map(), since: new Map() };
    byCounty.set(fips, county);
    if (id === null) county.loaded = seq;
    else if (county.parcels.has(id)) county.parcels.get(id)!.push(seq);
    else county.parcels.set(id, [seq]);
  }
  return byCounty;
}

async function checkSearch(
  db: Db,
  { id, filter, counties, seq: after }: Search,
  byCounty: ReadonlyMap<number, CountyChanges>,
  members: readonly number[],
): Promise<Note[]> {
  const body = filterSchema.parse(filter) as FilterBody;
  const notes: Note[] = [];
  for (const fips of counties) {
    const changes = byCounty.get(fips);
    if (changes === undefined) continue;
    if (changes.loaded !== undefined && changes.loaded > after) {
      notes.push(...(await compareCounty(db, { id, body, fips, seq: changes.loaded })));
      continue;
    }
    const ids = changedSince(changes, after);
    if (ids.length === 0) continue;
    const found = await findMembers(db, body, new Date(), fips, ids);
    const had = new Set(members.filter(one => countyOf(one) === fips));
    for (const property_id of new Set([...found, ...had])) {
      const fresh = changes.parcels.get(property_id)!.filter(seq => seq > after);
      if (fresh.length === 0) continue;
      for (const seq of fresh.slice(0, -1)) notes.push({ property_id, became: 'changed', seq });
      const [is, was] = [found.has(property_id), had.has(property_id)];
      const became = is === was ? 'changed' : is ? 'added' : 'removed';
      notes.push({ property_id, became, seq: fresh.at(-1)! });
    }
  }
  return notes.sort((a, b) => a.seq! - b.seq!);
}

/**
 * The parcels that changed after a given change number. Cached, because most searches were last checked at
 * the same change number.
 */
function changedSince(changes: CountyChanges, after: number): readonly number[] {
  const known = changes.since.get(after);
  if (known !== undefined) return known;
  const ids = [...changes.parcels].filter(([, seqs]) => seqs.at(-1)! > after).map(([id]) => id);
  changes.since.set(after, ids);
  return ids;
}

type Whole = { id: string; body: FilterBody; fips: number; seq: number | null };

/** Compares everything that a search finds in a county with what it found before. */
async function compareCounty(db: Db, { id, body, fips, seq }: Whole): Promise<Note[]> {
  const found = await findMembers(db, body, new Date(), fips);
  const rows = await db.run<{ property_id: number }>('searches/list_members_in', { search_id: id, fips });
  const had = new Set(rows.map(({ property_id }) => property_id));
  const notes = (is: ReadonlySet<number>, other: ReadonlySet<number>, became: Became): Note[] =>
    [...is].filter(one => !other.has(one)).map(property_id => ({ property_id, became, seq }));
  return [...notes(found, had, 'added'), ...notes(had, found, 'removed')];
}

type CheckedSearch = { search: Search; notes: readonly Note[] };

/** Writes the notes in one statement, so that the write is atomic. */
async function writeNotes(db: Db, checked: readonly CheckedSearch[], until: number): Promise<void> {
  if (checked.length === 0) return;
  const notes = checked.flatMap(({ notes }) => notes);
  await db.run('searches/write_notes', {
    search_ids: checked.map(({ search }) => search.id),
    afters: checked.map(({ search }) => search.seq),
    places: checked.flatMap(({ notes }, i) => notes.map(() => i + 1)),
    property_ids: notes.map(({ property_id }) => property_id),
    became: notes.map(({ became }) => became),
    seqs: notes.map(({ seq }) => seq),
    until,
  });
  if (notes.length > 0) await db.run('webhooks/notify_dispatchers', { channel: WEBHOOKS_CHANNEL });
}

/**
 * Compares each search's full results, to find matches that changed without a recorded change because time
 * passed or land was measured.
 */
export async function refreshSearches({ db, log, signal }: Omit<FollowDeps, 'config'>): Promise<number> {
  return db.connection(async connection => {
    await takeLock(connection, [LOCKS.searches], signal);
    const searches = await connection.run<Search>('searches/list_all_searches');
    // Recorded changes aren't checked here, so each search keeps its place.
    const noted = await checkAll(
      connection,
      searches,
      0,
      { log, signal },
      async ({ id, filter, counties }) => {
        const body = filterSchema.parse(filter) as FilterBody;
        const notes: Note[] = [];
        for (const fips of counties)
          notes.push(...(await compareCounty(connection, { id, body, fips, seq: null })));
        return notes;
      },
    );
    await connection.run('platform/unlock', {}, LOCK);
    return noted;
  });
}

type News = {
  email: string;
  token: string;
  search_id: string;
  name: string;
  last: number;
  added: number;
  removed: number;
  changed: number;
};

/**
 * Sends each person a single email with the changes in all of their searches. The links in it don't sign
 * anyone in. Only the holder of the searches lock calls this. If a worker dies right after an email, it may
 * be sent again.
 */
export async function mailSearches(db: Db, config: Config, log: Logger): Promise<void> {
  const appUrl = appUrlOf(config, config.PORT);
  if (appUrl === '') return;
  const news = await db.run<News>('searches/list_to_mail');
  for (const email of new Set(news.map(({ email }) => email))) {
    const own = news.filter(one => one.email === email);
    try {
      await sendMail(config, log, {
        to: email,
        subject:
          own.length === 1
            ? `${own[0]!.name}: ${wordsOf(own[0]!)}`
            : `Changes in ${own.length} saved searches`,
        text: await textOf(db, own, appUrl),
        unsubscribe: `${endOf(own[0]!, appUrl)}?all=true`,
      });
      await db.run('searches/mark_mailed', {
        tokens: own.map(({ token }) => token),
        lasts: own.map(({ last }) => last),
      });
    } catch (error) {
      log.warn({ err: error }, "search changes couldn't be emailed to one recipient; retrying");
    }
  }
}

const wordsOf = ({ added, removed, changed }: News): string =>
  [
    added > 0 && `${added} added`,
    removed > 0 && `${removed} no longer ${removed === 1 ? 'matches' : 'match'}`,
    changed > 0 && `${changed} changed`,
  ]
    .filter(Boolean)
    .join(', ');

const endOf = ({ token }: News, appUrl: string): string => `${appUrl}/searches/unsubscribe/${token}`;

/** Number of parcels named per search. The link shows the rest. */
const PARCELS_NAMED = 10;

/** Parcels and their changes, without owners, because emails get forwarded. */
async function textOf(db: Db, own: readonly News[], appUrl: string): Promise<string> {
  const parts: string[] = [];
  for (const one of own) {
    const count = one.added + one.removed + one.changed;
    const notes = await nameNotes(db, one.search_id, Math.min(count, PARCELS_NAMED));
    const lines = notes.map(
      note =>
        `- ${[note.name, note.detail].filter(Boolean).join(' · ')}: ${becameWords(note)}\n  ${appUrl}/data?parcel=${note.property_id}`,
    );
    if (count > notes.length) lines.push(`- and ${(count - notes.length).toLocaleString('en-US')} more`);
    parts.push(`${one.name}: ${wordsOf(one)}
${appUrl}/searches/${one.search_id}

${lines.join('\n')}

Unsubscribe from this search: ${endOf(one, appUrl)}
`);
  }
  if (own.length > 1) parts.push(`Unsubscribe from all searches: ${endOf(own[0]!, appUrl)}?all=true\n`);
  return parts.join('\n');
}
