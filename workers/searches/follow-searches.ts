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

/** Numbers of changes by parcel. `loaded` is the number of the change that covers all parcels. */
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
  /** Notes that are written together, unless one search has more: by default some seconds' work. */
  together?: number;
};

/**
 * Looks at what has changed since each search looked last, and nothing else: what it finds now of that, and
 * what it had found, tell what was added, removed and changed. One worker at a time; a search whose filter
 * fails stays where it is, and others go on. Then people are mailed.
 */
export async function followSearches(deps: FollowDeps): Promise<void> {
  await deps.db.connection(async connection => {
    const [lock] = await connection.run<{ held: boolean }>('searches/try_lock', { lock: LOCKS.searches });
    if (!lock!.held) return;
    const behind = await connection.run<Search & { head: number }>('searches/list_behind');
    if (behind.length > 0) await follow(connection, behind, deps);
    await mailSearches(deps.db, deps.config, deps.log);
    await connection.run('searches/unlock', { lock: LOCKS.searches });
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
  // Which of the parcels that have changed searches had found.
  const rows = await db.run<{ search_id: string; property_ids: number[] }>('searches/list_memberships', {
    property_ids: [...byCounty.values()].flatMap(({ parcels }) => [...parcels.keys()]),
  });
  const members = new Map(rows.map(({ search_id, property_ids }) => [search_id, property_ids]));
  await lookAtAll(db, behind, until, deps, search =>
    lookAt(db, search, byCounty, members.get(search.id) ?? []),
  );
}

const NOTES_TOGETHER = 20_000;

/** Looks at search after search, and writes down what is new in them and how far they have looked. */
async function lookAtAll(
  db: Db,
  searches: readonly Search[],
  until: number,
  { log, signal, together = NOTES_TOGETHER }: Pick<FollowDeps, 'log' | 'signal' | 'together'>,
  look: (search: Search) => Promise<Note[]>,
): Promise<number> {
  let looked: Looked[] = [];
  let waiting = 0;
  let noted = 0;
  const flush = async () => {
    await writeNotes(db, looked, until);
    noted += waiting;
    looked = [];
    waiting = 0;
  };
  for (const search of searches) {
    signal.throwIfAborted();
    try {
      const notes = await look(search);
      looked.push({ search, notes });
      waiting += notes.length;
    } catch (error) {
      // An earlier release accepted the shape. To try again would read all changes since then every minute.
      const isRefused = error instanceof PlatError && error.code === 'unprocessable';
      if (isRefused) looked.push({ search, notes: [] });
      const next = isRefused ? 'simplify its shape: these changes are left out' : 'it is tried again';
      log.warn({ err: error, search: search.id }, `a search could not be followed; ${next}`);
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

async function lookAt(
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
      notes.push(...(await lookAtCounty(db, { id, body, fips, seq: changes.loaded })));
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

/** The parcels that changed after a change. Searches have mostly looked equally far: kept for the next. */
function changedSince(changes: CountyChanges, after: number): readonly number[] {
  const known = changes.since.get(after);
  if (known !== undefined) return known;
  const ids = [...changes.parcels].filter(([, seqs]) => seqs.at(-1)! > after).map(([id]) => id);
  changes.since.set(after, ids);
  return ids;
}

type Whole = { id: string; body: FilterBody; fips: number; seq: number | null };

/** Compares all that a search finds in a county with what it had found. */
async function lookAtCounty(db: Db, { id, body, fips, seq }: Whole): Promise<Note[]> {
  const found = await findMembers(db, body, new Date(), fips);
  const rows = await db.run<{ property_id: number }>('searches/list_members_in', { search_id: id, fips });
  const had = new Set(rows.map(({ property_id }) => property_id));
  const notes = (is: ReadonlySet<number>, other: ReadonlySet<number>, became: Became): Note[] =>
    [...is].filter(one => !other.has(one)).map(property_id => ({ property_id, became, seq }));
  return [...notes(found, had, 'added'), ...notes(had, found, 'removed')];
}

type Looked = { search: Search; notes: readonly Note[] };

/** One statement, so that it is whole or not at all. */
async function writeNotes(db: Db, looked: readonly Looked[], until: number): Promise<void> {
  if (looked.length === 0) return;
  const notes = looked.flatMap(({ notes }) => notes);
  await db.run('searches/write_notes', {
    search_ids: looked.map(({ search }) => search.id),
    afters: looked.map(({ search }) => search.seq),
    places: looked.flatMap(({ notes }, i) => notes.map(() => i + 1)),
    property_ids: notes.map(({ property_id }) => property_id),
    became: notes.map(({ became }) => became),
    seqs: notes.map(({ seq }) => seq),
    until,
  });
  if (notes.length > 0) await db.run('webhooks/notify_dispatchers', { channel: WEBHOOKS_CHANNEL });
}

/** Also finds what changed without a recorded change, as time passed or land was measured. */
export async function refreshSearches({ db, log, signal }: Omit<FollowDeps, 'config'>): Promise<number> {
  return db.connection(async connection => {
    await takeLock(connection, [LOCKS.searches], signal);
    const searches = await connection.run<Search>('searches/list_all_searches');
    // Nothing that has changed is looked at: each stays where it is.
    const noted = await lookAtAll(
      connection,
      searches,
      0,
      { log, signal },
      async ({ id, filter, counties }) => {
        const body = filterSchema.parse(filter) as FilterBody;
        const notes: Note[] = [];
        for (const fips of counties)
          notes.push(...(await lookAtCounty(connection, { id, body, fips, seq: null })));
        return notes;
      },
    );
    await connection.run('searches/unlock', { lock: LOCKS.searches });
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
 * Mails what is new in searches, one mail a person with all of them. Its links sign nobody in. Called by who
 * follows searches alone; where a worker dies behind a mail, it may come once more.
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
          own.length === 1 ? `${own[0]!.name}: ${wordsOf(own[0]!)}` : `What is new in ${own.length} searches`,
        text: await textOf(db, own, appUrl),
        unsubscribe: `${endOf(own[0]!, appUrl)}?all=true`,
      });
      await db.run('searches/mark_mailed', {
        tokens: own.map(({ token }) => token),
        lasts: own.map(({ last }) => last),
      });
    } catch (error) {
      log.warn({ err: error }, 'what is new in searches could not be mailed to one; it is tried again');
    }
  }
}

const wordsOf = ({ added, removed, changed }: News): string =>
  [
    added > 0 && `${added} added`,
    removed > 0 && `${removed} no longer found`,
    changed > 0 && `${changed} changed`,
  ]
    .filter(Boolean)
    .join(', ');

const endOf = ({ token }: News, appUrl: string): string => `${appUrl}/searches/unsubscribe/${token}`;

/** Of a search; the rest is behind its link. */
const PARCELS_NAMED = 10;

/** Parcels and what became of them, no owners: mails are forwarded. */
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

No more mails of this search: ${endOf(one, appUrl)}
`);
  }
  if (own.length > 1) parts.push(`No more mails of any search: ${endOf(own[0]!, appUrl)}?all=true\n`);
  return parts.join('\n');
}
