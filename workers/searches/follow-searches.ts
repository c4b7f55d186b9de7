import type { Config } from '../../shared/base/config.ts';
import { asReads, asRun, type Client, type Pool, withConnection } from '../../shared/base/db.ts';
import { LOCKS, takeLock } from '../../shared/base/locks.ts';
import type { Logger } from '../../shared/base/log.ts';
import type { FilterBody } from '../../shared/parcels/filter/declare-filter.ts';
import { filterSchema } from '../../shared/parcels/filter/filter-schema.ts';
import { findMembers } from '../../shared/searches/find-members.ts';
import type { Became } from '../../shared/searches/search-terms.ts';
import { WEBHOOKS_CHANNEL } from '../../shared/webhooks/webhook-terms.ts';
import { mailSearches } from './mail-searches.ts';

type Search = { id: string; filter: object; counties: number[]; seq: number; head: number };

type Changed = { seq: number; fips: number; property_id: number | null };

/** What changed in a county: numbers of changes by parcel; `loaded`: of the change that stands for all. */
type CountyChanges = { parcels: Map<number, number[]>; loaded?: number };

type Note = { property_id: number; became: Became; seq: number | null };

export type FollowDeps = { pool: Pool; log: Logger; config: Config; signal: AbortSignal };

/**
 * Looks at what has changed since each search looked last, and nothing else: what it finds now of that, and
 * what it had found, tell what was added, removed and changed. One worker at a time; a search whose filter
 * fails stays where it is, and others go on. Then people are mailed.
 */
export async function followSearches(deps: FollowDeps): Promise<void> {
  await withConnection(deps.pool, async client => {
    const run = asRun(client);
    const [lock] = await run<{ held: boolean }>('searches/try_lock', { lock: LOCKS.searches });
    if (!lock!.held) return;
    const behind = await run<Search>('searches/list_behind');
    if (behind.length > 0) await follow(client, behind, deps);
    await mailSearches(deps.pool, deps.config, deps.log);
    await run('searches/unlock', { lock: LOCKS.searches });
  });
}

async function follow(client: Client, behind: readonly Search[], { log, signal }: FollowDeps): Promise<void> {
  const run = asRun(client);
  const until = behind[0]!.head;
  const changed = await run<Changed>('searches/list_changed_parcels', {
    after: behind[0]!.seq,
    until,
    counties: [...new Set(behind.flatMap(({ counties }) => counties))],
  });
  const byCounty = groupChanges(changed);
  const members = await listMemberships(client, byCounty);
  const quiet: string[] = [];
  for (const search of behind) {
    signal.throwIfAborted();
    try {
      const notes = await lookAt(client, search, byCounty, members.get(search.id) ?? new Set());
      if (notes.length === 0) quiet.push(search.id);
      else await writeNotes(client, search.id, notes, until);
    } catch (error) {
      log.warn({ err: error, search: search.id }, 'a search could not be followed; it is tried again');
    }
  }
  await run('searches/move_searches', { search_ids: quiet, until });
}

function groupChanges(changed: readonly Changed[]): Map<number, CountyChanges> {
  const byCounty = new Map<number, CountyChanges>();
  for (const { seq, fips, property_id: id } of changed) {
    const county: CountyChanges = byCounty.get(fips) ?? { parcels: new Map() };
    byCounty.set(fips, county);
    if (id === null) county.loaded = seq;
    else if (county.parcels.has(id)) county.parcels.get(id)!.push(seq);
    else county.parcels.set(id, [seq]);
  }
  return byCounty;
}

async function listMemberships(
  client: Client,
  byCounty: ReadonlyMap<number, CountyChanges>,
): Promise<Map<string, Set<number>>> {
  const property_ids = [...byCounty.values()].flatMap(({ parcels }) => [...parcels.keys()]);
  const rows = await asRun(client)<{ search_id: string; property_id: number }>('searches/list_memberships', {
    property_ids,
  });
  const members = new Map<string, Set<number>>();
  for (const { search_id, property_id } of rows) {
    const own = members.get(search_id);
    if (own === undefined) members.set(search_id, new Set([property_id]));
    else own.add(property_id);
  }
  return members;
}

async function lookAt(
  client: Client,
  { id, filter, counties, seq: after }: Search,
  byCounty: ReadonlyMap<number, CountyChanges>,
  members: ReadonlySet<number>,
): Promise<Note[]> {
  const body = filterSchema.parse(filter) as FilterBody;
  const notes: Note[] = [];
  for (const fips of counties) {
    const changes = byCounty.get(fips);
    if (changes === undefined) continue;
    if (changes.loaded !== undefined && changes.loaded > after) {
      notes.push(...(await lookAtCounty(client, { id, body, fips, seq: changes.loaded })));
      continue;
    }
    const seqs = new Map([...changes.parcels].filter(([, all]) => all.at(-1)! > after));
    const ids = [...seqs.keys()];
    if (ids.length === 0) continue;
    const found = await findMembers(asReads(client), body, new Date(), fips, ids);
    for (const [property_id, all] of seqs) {
      const is = found.has(property_id);
      const was = members.has(property_id);
      if (!is && !was) continue;
      const fresh = all.filter(seq => seq > after);
      for (const seq of fresh.slice(0, -1)) notes.push({ property_id, became: 'changed', seq });
      const became = is === was ? 'changed' : is ? 'added' : 'removed';
      notes.push({ property_id, became, seq: fresh.at(-1)! });
    }
  }
  return notes.sort((a, b) => a.seq! - b.seq!);
}

type Whole = { id: string; body: FilterBody; fips: number; seq: number | null };

/** Compares all that a search finds in a county with what it had found. */
async function lookAtCounty(client: Client, { id, body, fips, seq }: Whole): Promise<Note[]> {
  const found = await findMembers(asReads(client), body, new Date(), fips);
  const rows = await asRun(client)<{ property_id: number }>('searches/list_members_in', {
    search_id: id,
    fips,
  });
  const had = new Set(rows.map(({ property_id }) => property_id));
  return [
    ...[...found]
      .filter(one => !had.has(one))
      .map((property_id): Note => ({ property_id, became: 'added', seq })),
    ...[...had]
      .filter(one => !found.has(one))
      .map((property_id): Note => ({ property_id, became: 'removed', seq })),
  ];
}

/** One statement, so that it is whole or not at all. */
async function writeNotes(client: Client, id: string, notes: readonly Note[], until: number): Promise<void> {
  const run = asRun(client);
  await run('searches/write_notes', {
    search_id: id,
    property_ids: notes.map(({ property_id }) => property_id),
    became: notes.map(({ became }) => became),
    seqs: notes.map(({ seq }) => seq),
    until,
  });
  await run('webhooks/notify_couriers', { channel: WEBHOOKS_CHANNEL });
}

/**
 * Looks at all that searches find: what became of parcels although nothing of them was noted, as time went
 * on or their land was measured.
 */
export async function refreshSearches({ pool, log, signal }: Omit<FollowDeps, 'config'>): Promise<number> {
  return withConnection(pool, async client => {
    await takeLock(client, [LOCKS.searches], signal);
    let noted = 0;
    for (const { id, filter, counties, head } of await asRun(client)<Search>('searches/list_all_searches')) {
      signal.throwIfAborted();
      try {
        const body = filterSchema.parse(filter) as FilterBody;
        const notes: Note[] = [];
        for (const fips of counties)
          notes.push(...(await lookAtCounty(client, { id, body, fips, seq: null })));
        if (notes.length > 0) await writeNotes(client, id, notes, head);
        noted += notes.length;
      } catch (error) {
        log.warn({ err: error, search: id }, 'a search could not be looked at; it is tried again tomorrow');
      }
    }
    await asRun(client)('searches/unlock', { lock: LOCKS.searches });
    return noted;
  });
}
