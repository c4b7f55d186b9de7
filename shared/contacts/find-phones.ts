import {
  type Address,
  bestMatches,
  type Candidate,
  type Match,
  placeOf,
  type Subject,
  sharedPlace,
} from '../kernels/person/match.ts';
import type { LineType, StoredPhone } from '../model/contact-fields.ts';
import type { Db } from '../platform/db.ts';
import {
  identityTags,
  isPhoneKey,
  keyHashes,
  numbersOf,
  phoneKey,
  type RecordName,
  subjectOf,
} from './person-identity.ts';
import { firstReason, listSuppressed, type Suppressed } from './suppression.ts';

export type ContactRow = RecordName & {
  id: string;
  source: string;
  places: Address[];
  phones: StoredPhone[];
  /** YYYY-MM-DD. */
  last_seen: string | null;
};

type ContactCandidate = Candidate & { row: ContactRow };

/**
 * With more candidates than this, people with the same name can't be distinguished, because the city has a
 * thousand people with a similar surname and the same initial.
 */
export const MAX_CANDIDATES = 1_000;

export type ContactMatch =
  /** `tags` are the suppression list's tags for the subject and the matched records. */
  | { state: 'found'; matches: Match<ContactCandidate>[]; tags: string[] }
  /**
   * If anyone is on the suppression list, or withheld by a feed, nothing is returned from any source.
   * `reason`: the feed's reason.
   */
  | { state: 'suppressed'; reason: string | null }
  | { state: 'unknown' };

/** Returns the first subject that has a match. */
export async function findContacts(
  db: Db,
  subjects: readonly Subject[],
  address: Address,
  openly = false,
): Promise<ContactMatch> {
  const place = placeOf(address);
  const keys = [...new Set(subjects.flatMap(subject => keyHashes(subject, [place])))];
  if (keys.length === 0) return { state: 'unknown' };
  const rows = await db.run<ContactRow>('contacts/list_candidates', { keys, limit: MAX_CANDIDATES });
  const contacts = rows.flatMap((row): ContactCandidate[] => {
    const subject = subjectOf(row);
    return subject === null
      ? []
      : [{ row, subject, places: row.places.map(placeOf), phones: numbersOf(row.phones) }];
  });
  const certain =
    rows.length < MAX_CANDIDATES
      ? contacts
      : contacts.filter(({ places }) => places.some(each => sharedPlace(place, each) === 'street'));
  const reasons: (string | null)[] = [];
  for (const subject of subjects) {
    const matches = bestMatches(subject, place, certain).filter(
      ({ candidate }) => candidate.phones.length > 0,
    );
    const tags = [
      ...identityTags(subject, [address]),
      ...matches.flatMap(({ candidate }) => identityTags(candidate.subject, candidate.row.places)),
    ];
    const numbers = matches.flatMap(({ candidate }) => candidate.phones.map(phoneKey));
    const listed = openly ? new Map() : await listSuppressed(db, [...tags, ...numbers]);
    const reason = personReason(listed);
    // Continue, because the second person named on the roll may still be returned.
    if (reason !== undefined) reasons.push(reason);
    else if (matches.length > 0) return { state: 'found', matches, tags };
  }
  const reason = firstReason(reasons);
  return reason === undefined ? { state: 'unknown' } : { state: 'suppressed', reason };
}

/**
 * Why a person must not be returned. Undefined if only some of their numbers are on the suppression list. If
 * a feed withholds one of a person's numbers, all of them are withheld, because calling another is as risky.
 */
export const personReason = (listed: Suppressed): string | null | undefined =>
  firstReason([...listed].filter(([tag, why]) => why !== null || !isPhoneKey(tag)).map(([, why]) => why));

/** The phone numbers of matched records, best match first, excluding those on the suppression list. */
export async function phonesOf(db: Db, matches: readonly Match<ContactCandidate>[]): Promise<TracedPhone[]> {
  const all = matches
    .flatMap(({ candidate: { row } }, rank) =>
      row.phones.map(phone => ({ ...phone, rank, lastSeen: row.last_seen, dnc: null })),
    )
    .filter(({ number }, i, every) => every.findIndex(each => each.number === number) === i);
  const listed = await listSuppressed(
    db,
    all.map(({ number }) => phoneKey(number)),
  );
  return all.filter(({ number }) => !listed.has(phoneKey(number)));
}

export type NumberFacts = {
  number: string;
  line_type: LineType | null;
  dnc: boolean | null;
  dnc_as_of: string | null;
};

/** Numbering plan and Do Not Call data for each number, if loaded. */
export async function factsOf(db: Db, numbers: readonly string[]): Promise<Map<string, NumberFacts>> {
  const rows = await db.run<NumberFacts>('contacts/look_up_numbers', { numbers });
  return new Map(rows.map(row => [row.number, row]));
}

export type ProvidedPhone = StoredPhone & { dnc: boolean | null };

/** A number as found, before adding numbering plan and Do Not Call data. */
export type TracedPhone = StoredPhone & {
  /** The rank of the match that it came from; 0 is the best. */
  rank: number;
  lastSeen: string | null;
  /** The provider's own Do Not Call flag. */
  dnc: boolean | null;
};
