import { basename } from 'node:path';
import type { Db } from '../../../../shared/platform/db.ts';
import { PlatError } from '../../../../shared/platform/errors.ts';
import { sql } from '../../../../shared/platform/statements.ts';
import { readDnc } from '../../../formats/dnc-file.ts';
import { openSource, trackProgress } from '../../../formats/source.ts';
import { addProblem } from '../../engine/check-part.ts';
import { checkContext, type DryRun } from '../../engine/dry-run.ts';
import { checkListGates } from '../../engine/gate.ts';
import type { Prepared, Recipe } from '../../engine/recipe.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { withStages } from '../../engine/stage-rows.ts';
import type { DncFeed } from './dnc-feed.ts';
import { type Bitmaps, changedBitmaps, collectNumbers, stageBitmaps } from './stage-dnc.ts';

type Area = { area_code: number; edition: string; numbers: number };

/**
 * Each area code's version and count of numbers after the run, and the area codes that were stored before it.
 */
type Staged = {
  areas: Map<number, { edition: string; numbers: number }>;
  before: Map<number, Area>;
  replaces: boolean;
};

/** The Do Not Call registry. A full list replaces its area codes. Change lists are applied day by day. */
export const dncRecipe: Recipe<DncFeed, Staged> = {
  tables: [sql('contacts/create_dnc_stage')],
  stage: (run, feed) =>
    withStages(run, 1, async ([connection], rejects) => {
      const before = await currentAreas(connection!);
      const files = editionsOf(feed);
      const added: Bitmaps = new Map();
      if (feed.dnc.list === 'full') {
        for (const file of files) await read(run, feed, file, null, { into: added, removed: null }, rejects);
        const edition = files.at(-1)!.edition;
        const days = new Set(files.map(({ edition }) => edition));
        if (days.size > 1)
          throw refusal(
            `The files have different dates (${[...days].join(', ')}). All files of a full list must have the same date.`,
          );
        const numbers = await stageBitmaps(connection!, added);
        requireNotOlder(numbers.keys(), edition, before);
        const areas = [...numbers].map(([area, count]) => [area, { edition, numbers: count }] as const);
        return { areas: new Map(areas), before, replaces: true };
      }
      if (before.size === 0) throw refusal('There is no full list to change. Load one first.');
      const due = files.filter(({ edition }) => [...before.values()].some(area => area.edition < edition));
      const removed: Bitmaps = new Map();
      const editions = new Map([...before].map(([area, { edition }]) => [area, edition]));
      for (const file of due) {
        const touched: Bitmaps = new Map();
        const deleted: Bitmaps = new Map();
        await read(run, feed, file, feed.dnc.columns, { into: touched, removed: deleted }, rejects);
        for (const [prefix, plus] of advance(editions, touched, file))
          applyChanges(added, removed, prefix, plus, deleted.get(prefix)!);
      }
      const after = await changedBitmaps(connection!, added, removed);
      await stageBitmaps(connection!, after);
      const rows = await connection!.run<Area>('contacts/count_changed');
      const changed = new Map(rows.map(row => [row.area_code, row.numbers]));
      const areas = [...editions].map(
        ([area, edition]) =>
          [area, { edition, numbers: changed.get(area) ?? before.get(area)!.numbers }] as const,
      );
      return { areas: new Map(areas), before, replaces: false };
    }),
  compare,
  check: checkRegistry,
};

async function compare(
  _client: Db,
  run: RunContext,
  { gates }: DncFeed,
  { areas, before, replaces }: Staged,
): Promise<Prepared> {
  const { runId, feedId, counts } = run;
  await run.step('match', 'comparing with current data', 0.68);
  const moved = [...areas].filter(([area, { edition, numbers }]) => {
    const old = before.get(area);
    return replaces || old === undefined || old.edition !== edition || old.numbers !== numbers;
  });
  const rows = [...areas.values()].reduce((sum, { numbers }) => sum + numbers, 0);
  const overlap = moved.filter(([area]) => before.has(area)).length;
  Object.assign(counts, {
    rows,
    new: moved.length - overlap,
    changed: overlap,
    unchanged: areas.size - moved.length,
  });
  await run.step('gate', 'checking', 0.74);
  return {
    gate: checkListGates(run, rows, gates, 'numbers'),
    touched: moved.length > 0,
    async merge(tx) {
      await tx.run('contacts/lock_areas');
      await requireUnmoved(tx, before);
      const codes = moved.map(([area]) => area);
      if (replaces) await tx.run('contacts/delete_areas', { area_codes: codes });
      await tx.run('contacts/write_bitmaps');
      await tx.run('contacts/write_areas', {
        area_codes: codes,
        editions: moved.map(([, { edition }]) => edition),
        numbers: moved.map(([, { numbers }]) => numbers),
        feed_id: feedId,
        run_id: runId,
      });
    },
    async tidy() {
      if (replaces) await run.db.execute('analyze dnc_numbers');
    },
  };
}

async function currentAreas(db: Db): Promise<Map<number, Area>> {
  const rows = await db.run<Area>('contacts/list_areas');
  return new Map(rows.map(row => [row.area_code, row]));
}

/** Fails if another registry feed was merged after this run compared its data. */
async function requireUnmoved(db: Db, before: ReadonlyMap<number, Area>): Promise<void> {
  const now = await currentAreas(db);
  const same =
    now.size === before.size &&
    [...now].every(([area, { edition }]) => before.get(area)?.edition === edition);
  if (same) return;
  throw new PlatError('overtaken', 'Another list of the registry was merged while Plat read this one.', {
    retryable: true,
  });
}

type File = { source: string; edition: string };

function editionsOf({ name, dnc: { sources, edition } }: DncFeed): File[] {
  return sources
    .map(source => {
      const [, year, month, day] = /(20\d{2})[-_.]?([01]\d)[-_.]?([0-3]\d)/.exec(basename(source)) ?? [];
      const editionDate = year === undefined ? edition : `${year}-${month}-${day}`;
      if (editionDate !== null && !Number.isNaN(Date.parse(editionDate)))
        return { source, edition: edition ?? editionDate };
      throw refusal(`${name}: the file name ${basename(source)} has no date. Set dnc.edition.`);
    })
    .sort((a, b) => (a.edition < b.edition ? -1 : 1));
}

function requireNotOlder(codes: Iterable<number>, edition: string, before: ReadonlyMap<number, Area>): void {
  for (const area of codes) {
    const old = before.get(area);
    if (old !== undefined && old.edition > edition)
      throw refusal(
        `The list is from ${edition}, but area code ${area} is already loaded as of ${old.edition}. Load a newer list.`,
      );
  }
}

/**
 * A change list applies to area codes that are loaded as of the day before. Newer area codes ignore it. Older
 * ones are an error.
 */
function advance(
  editions: Map<number, string>,
  touched: Bitmaps,
  { source, edition }: File,
): [number, Uint8Array][] {
  const previous = new Date(Date.parse(edition) - 86_400_000).toISOString().slice(0, 10);
  const name = basename(source);
  const due = [...touched].filter(([prefix]) => {
    const area = Math.floor(prefix / 1_000);
    const at = editions.get(area);
    if (at === undefined)
      throw refusal(`${name} changes area code ${area}, which has no full list yet. Load that first.`);
    if (at < previous)
      throw refusal(
        `${name} continues from the list of ${previous}, but area code ${area} is loaded as of ${at}. Load the change lists in between, or a full list.`,
      );
    return at < edition;
  });
  for (const [area, at] of editions) if (at === previous) editions.set(area, edition);
  return due;
}

/** If one day adds a number that a later day deletes, or vice versa, the later day wins. */
function applyChanges(
  added: Bitmaps,
  removed: Bitmaps,
  prefix: number,
  plus: Uint8Array,
  minus: Uint8Array,
): void {
  const [oldPlus, oldMinus] = [added.get(prefix), removed.get(prefix)];
  added.set(
    prefix,
    plus.map((byte, i) => byte | ((oldPlus?.[i] ?? 0) & ~minus[i]!)),
  );
  removed.set(
    prefix,
    minus.map((byte, i) => byte | ((oldMinus?.[i] ?? 0) & ~plus[i]!)),
  );
}

const refusal = (message: string) => new PlatError('dnc_order', message);

async function read(
  run: RunContext,
  { baseDir }: DncFeed,
  { source, edition }: File,
  columns: readonly string[] | null,
  bitmaps: { into: Bitmaps; removed: Bitmaps | null },
  rejects: Parameters<typeof collectNumbers>[3]['rejects'],
): Promise<void> {
  const record = { input: 'dnc', source: [source], bytes: 0 };
  run.inputs.push(record);
  const context = {
    baseDir,
    tmpDir: run.tmpDir,
    signal: run.signal,
    onNote: (note: string) => run.progress(0, `${edition}: ${note}`),
    onBytes(bytes: number, total: number | null) {
      record.bytes = bytes;
      if (total) run.progress((0.6 * bytes) / total, `${edition}: ${(bytes / 1e6).toFixed(0)} MB`);
    },
  };
  try {
    const opened = await openSource(
      source,
      { extensions: ['.txt', '.csv', '.xml'] },
      context,
      trackProgress(context, true),
    );
    try {
      await collectNumbers(opened.bytes(), columns, bitmaps, { counts: run.counts, rejects });
    } finally {
      await opened.close();
    }
  } catch (error) {
    run.signal.throwIfAborted();
    throw error;
  }
}

const FAULTS_SHOWN = 5;

/**
 * Counts the numbers in the files. The check reads the whole list, which takes a minute for the entire
 * country.
 */
async function checkRegistry({ result }: DryRun, { baseDir, dnc }: DncFeed): Promise<void> {
  const columns = dnc.list === 'changes' ? dnc.columns : null;
  for (const source of dnc.sources) {
    const [numbers, faults] = [{ added: 0, removed: 0 }, [] as string[]];
    try {
      const opened = await openSource(
        source,
        { extensions: ['.txt', '.csv', '.xml'] },
        checkContext(baseDir),
      );
      const lines = await readDnc(opened.bytes(), columns, {
        add: () => void numbers.added++,
        remove: () => void numbers.removed++,
        bad: (lineNo, what) =>
          void (faults.length < FAULTS_SHOWN && faults.push(`dnc: ${source} line ${lineNo} ${what}`)),
      }).finally(opened.close);
      if (numbers.added + numbers.removed === 0)
        result.problems.push(`dnc: ${source} has no phone numbers in ${lines} lines.`);
      result.warnings.push(...faults);
    } catch (error) {
      addProblem(result.problems, 'dnc', error);
    }
  }
}
