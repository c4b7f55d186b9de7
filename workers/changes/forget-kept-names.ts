import type { Subject } from '../../shared/kernels/person/match.ts';
import type { Db } from '../../shared/platform/db.ts';
import { NAMES, type Named, namePatterns, suppressedNamesOf } from './forget-names.ts';

type Kept = Named & { run_id: number; fips: number };

const BATCH = 5_000;

/**
 * Erases people on the suppression list from the parcels stored for undoing runs, unless the roll still names
 * them. Call it after the parcels are written.
 * @param of a single run, or a subject whose name may be in any run
 * @returns the number of stored parcels that named them
 */
export async function forgetKeptNames(db: Db, of: { runId: number } | { subject: Subject }): Promise<number> {
  if ((await db.run('changes/has_suppressions')).length === 0) return 0;
  const wanted =
    'runId' in of
      ? { run_id: of.runId, patterns: null }
      : { run_id: null, patterns: namePatterns(of.subject) };
  let erased = 0;
  for (let after = { run_id: 0, property_id: 0 }; ; ) {
    const rows = await db.run<Kept>('changes/list_kept_names', {
      ...wanted,
      after_run: after.run_id,
      after_parcel: after.property_id,
      limit: BATCH,
    });
    const last = rows.at(-1);
    if (last === undefined) return erased;
    after = last;
    erased += await eraseFrom(db, rows);
  }
}

async function eraseFrom(db: Db, rows: readonly Kept[]): Promise<number> {
  const listed = await suppressedNamesOf(db, rows);
  const named = rows.filter((_, i) => listed[i]!.size > 0);
  if (named.length === 0) return 0;
  const today = await db.run<Named>('changes/read_parcel_names', {
    fips: [...new Set(named.map(row => row.fips))],
    property_ids: named.map(row => row.property_id),
  });
  const onRoll = new Map(today.map(row => [row.property_id, row]));
  const erased = rows.flatMap((row, i) => {
    const now = onRoll.get(row.property_id);
    const names = NAMES.filter(name => listed[i]!.has(row[name] ?? '') && now?.[name] !== row[name]);
    return names.length > 0 ? [{ row, names }] : [];
  });
  await db.run('changes/erase_kept_names', {
    run_ids: erased.map(({ row }) => row.run_id),
    property_ids: erased.map(({ row }) => row.property_id),
    fields: erased.map(({ names }) =>
      [...names, ...(names.includes('owner_name') ? ['mail_address'] : [])].join(','),
    ),
  });
  return erased.length;
}
