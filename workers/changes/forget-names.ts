import { identityTags, subjectsOf } from '../../shared/contacts/person-identity.ts';
import { listSuppressed } from '../../shared/contacts/suppression.ts';
import { addToGroup } from '../../shared/kernels/groups.ts';
import type { Address, Subject } from '../../shared/kernels/person/match.ts';
import type { ChangedFields } from '../../shared/model/changes.ts';
import type { Db } from '../../shared/platform/db.ts';
import { literal } from '../../shared/platform/statements.ts';

// The change feed must not keep names on the suppression list, so former owners and sellers on it are
// removed. Names on today's roll are public anyway.

export const NAMES = ['owner_name', 'owner_name_2', 'seller_name'] as const;
const PARTS = ['address', 'city', 'state', 'zip'] as const;
const PLACES = ['mail', 'situs'] as const;
type AddressPart = `${(typeof PLACES)[number]}_${keyof Address}`;

/** A parcel's names and addresses. */
export type Named = { property_id: number } & Record<(typeof NAMES)[number] | AddressPart, string | null>;

const BATCH = 5_000;

/**
 * Removes former names that are on the suppression list from a merge's changes. Call it before the parcels
 * are written.
 * @param fips the counties that change, as a literal
 */
export async function leaveOutSuppressed(db: Db, fips: string): Promise<void> {
  if ((await db.run('changes/has_suppressions')).length === 0) return;
  for (let after = 0; ; ) {
    const places = { fips, after: literal(after), limit: literal(BATCH) };
    const rows = await db.run<Named>('changes/list_former_names', {}, places);
    if (rows.length === 0) return;
    after = rows.at(-1)!.property_id;
    const listed = await suppressedNamesOf(db, rows);
    const leaveOut = async (field: string, isListed: (row: Named, names: Set<string>) => boolean) => {
      const property_ids = rows.filter((row, i) => isListed(row, listed[i]!)).map(row => row.property_id);
      if (property_ids.length > 0) await db.run('changes/leave_out_former', { field, property_ids });
    };
    for (const name of NAMES) await leaveOut(name, (row, names) => names.has(row[name] ?? ''));
    await leaveOut('mail_address', (row, names) => names.has(row.owner_name ?? ''));
  }
}

type Kept = { seq: number; property_id: number; fields: ChangedFields };

/** Erases a suppressed person from recorded parcel changes. @returns how many changes named them */
export async function forgetInChanges(db: Db, subject: Subject): Promise<number> {
  const parcels = await db.run<{ fips: number; property_id: number }>('changes/list_named_parcels', {
    patterns: namePatterns(subject),
  });
  const fips = [...new Set(parcels.map(parcel => parcel.fips))];
  const property_ids = parcels.map(parcel => parcel.property_id);
  const today = await db.run<Named>('changes/read_parcel_names', { fips, property_ids });
  const changes = new Map<number, Kept[]>();
  for (const kept of await db.run<Kept>('changes/read_parcel_changes', { property_ids }))
    addToGroup(changes, kept.property_id, kept);

  const listed = await suppressedNames(
    db,
    today.map(row => {
      const values = (changes.get(row.property_id) ?? []).flatMap(({ fields }) =>
        ([0, 1] as const).map(side => (name: string) => (fields[name]?.[side] ?? null) as string | null),
      );
      const names = values.flatMap(get => NAMES.map(get)).filter(name => name !== null);
      // If a recorded address has no state, use the state of today's address.
      const places = values.flatMap(get =>
        addressesOf(part => get(part) ?? (part.endsWith('_state') ? row[part] : null)),
      );
      return { names, places: [...places, ...addressesOf(part => row[part])] };
    }),
  );
  const erased = today.flatMap((row, i) =>
    (changes.get(row.property_id) ?? []).filter(({ fields }) => eraseFrom(fields, row, listed[i]!)),
  );
  await db.run('changes/rewrite_changes', {
    seqs: erased.map(({ seq }) => seq),
    fields: erased.map(({ fields }) => JSON.stringify(fields)),
  });
  return erased.length;
}

/** @returns whether it erased a suppressed name that isn't on today's roll */
function eraseFrom(fields: ChangedFields, today: Named, listed: ReadonlySet<string>): boolean {
  let erased = false;
  for (const side of [0, 1] as const) {
    for (const name of NAMES) {
      const pair = fields[name];
      const value = pair?.[side];
      if (pair === undefined || typeof value !== 'string' || !listed.has(value)) continue;
      if (side === 1 && today[name] === value) continue;
      pair[side] = null;
      if (name === 'owner_name' && fields.mail_address !== undefined) fields.mail_address[side] = null;
      erased = true;
    }
  }
  return erased;
}

/** LIKE patterns for names that may belong to the subject. */
export function namePatterns(subject: Subject): string[] {
  const words =
    'entity' in subject ? subject.entity.split(' ').filter(word => word.length > 2) : subject.person.last;
  return words.map(word => `%${word}%`);
}

const addressesOf = (get: (part: AddressPart) => string | null): Address[] =>
  PLACES.map(place => Object.fromEntries(PARTS.map(part => [part, get(`${place}_${part}`)])) as Address);

export const suppressedNamesOf = (db: Db, rows: readonly Named[]): Promise<Set<string>[]> =>
  suppressedNames(
    db,
    rows.map(row => ({
      names: NAMES.map(name => row[name]).filter(name => name !== null),
      places: addressesOf(part => row[part]),
    })),
  );

/** Each parcel's names that are on the suppression list together with one of the parcel's addresses. */
async function suppressedNames(
  db: Db,
  parcels: readonly { names: string[]; places: Address[] }[],
): Promise<Set<string>[]> {
  const tagged = parcels.map(({ names, places }) =>
    [...new Set(names)].map(name => ({
      name,
      tags: subjectsOf(name).flatMap(subject => identityTags(subject, places)),
    })),
  );
  const all = new Set(tagged.flatMap(names => names.flatMap(({ tags }) => tags)));
  const listed = await listSuppressed(db, [...all]);
  return tagged.map(
    // A feed that withholds numbers doesn't hide names.
    names =>
      new Set(names.filter(({ tags }) => tags.some(tag => listed.get(tag) === null)).map(({ name }) => name)),
  );
}
