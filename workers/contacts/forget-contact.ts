import { type ContactRow, MAX_CANDIDATES } from '../../shared/contacts/find-phones.ts';
import {
  keyHash,
  keyHashes,
  numbersOf,
  phoneKey,
  storedTags,
  subjectOf,
} from '../../shared/contacts/person-identity.ts';
import { hashesOf, suppress } from '../../shared/contacts/suppression.ts';
import {
  type Address,
  nameFit,
  placeOf,
  type Subject,
  sameEntity,
  sharedPlace,
} from '../../shared/kernels/person/match.ts';
import type { Db } from '../../shared/platform/db.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { forgetKeptNames } from '../changes/forget-kept-names.ts';
import { forgetInChanges } from '../changes/forget-names.ts';

/** The subject of a request: a person or an entity at an address, or the owner of a phone number. */
export type ForgetRequest =
  | { subject: Subject; address: Address; number: string | null }
  | { subject: null; number: string };

/** Every contact that may be the subject, including people with the same name in the same ZIP or city. */
export async function findMatchingContacts(db: Db, request: ForgetRequest): Promise<ContactRow[]> {
  const { subject, number } = request;
  if (subject === null)
    return db.run<ContactRow>('contacts/list_candidates', {
      keys: [keyHash(phoneKey(number))],
      limit: MAX_CANDIDATES,
    });
  const place = placeOf(request.address);
  const rows = await db.run<ContactRow>('contacts/list_candidates', {
    keys: keyHashes(subject, [place]),
    limit: MAX_CANDIDATES,
  });
  return rows.filter(row => {
    const known = subjectOf(row);
    const near = row.places.map(other => sharedPlace(place, placeOf(other))).filter(level => level !== null);
    if (known === null || near.length === 0 || (place.street !== null && !near.includes('street')))
      return false;
    if ('entity' in subject)
      return 'entity' in known && sameEntity(subject.entity, known.entity, near.includes('street'));
    return 'person' in known && nameFit(subject.person, known.person) !== null;
  });
}

/** Suppresses the subject for all sources, including future ones. @returns how many entries are new */
export async function suppressContact(
  db: Db,
  request: ForgetRequest,
  rows: readonly ContactRow[],
  by: string,
): Promise<number> {
  const { subjects, places, numbers } = knownOf(request, rows);
  return suppress(db, subjects, places, numbers, by);
}

/** A phone number alone does not identify a person, so only the number is suppressed. */
function knownOf(request: ForgetRequest, rows: readonly ContactRow[]) {
  const { subject, number } = request;
  const own = number === null ? [] : [number];
  if (subject === null) return { subjects: [], places: [], numbers: own };
  return {
    subjects: [subject, ...rows.map(subjectOf).filter(parsed => parsed !== null)],
    places: [request.address, ...rows.flatMap(row => row.places)],
    numbers: [...new Set([...own, ...rows.flatMap(row => numbersOf(row.phones))])],
  };
}

export type ForgetResult = {
  suppressed: number;
  contacts: number;
  numbers: number;
  provider_answers: number;
  kept_responses: number;
  changes: number;
  /** Earlier versions of parcels, stored for undoing runs. */
  kept_parcels: number;
  list_notes: number;
};

/**
 * Forgets a contact in one transaction.
 * @throws PlatError `contact_ambiguous` if the request may mean people at several addresses
 */
export async function forgetContact(db: Db, request: ForgetRequest, by: string): Promise<ForgetResult> {
  return db.transaction(async tx => {
    const rows = await findMatchingContacts(tx, request);
    const streets = new Set(rows.map(row => placeOf(row.places[0]!).street));
    if (request.subject !== null && streets.size > 1)
      throw new PlatError(
        'contact_ambiguous',
        `${rows.length} contacts at ${streets.size} addresses match. Add the street with --address. \`plat contact find\` lists them.`,
      );
    const suppressed = await suppressContact(tx, request, rows, by);
    const { subject } = request;
    const { subjects, places, numbers } = knownOf(request, rows);
    const person_hmacs = await hashesOf(tx, storedTags(subjects, places, numbers));
    // Erase notes before stored responses, to follow the lock order in shared/platform/db.ts.
    const list_notes = await forgetInNotes(tx, subject, numbers);
    const [answers] = await tx.run<{ erased: number }>('contacts/erase_provider_answers', { person_hmacs });
    const [responses] = await tx.run<{ erased: number }>('contacts/erase_kept_responses', {
      person_hmacs,
      patterns: numbers.map(number => `%${number}%`),
    });
    const contacts = await eraseContacts(tx, request, rows);
    const changes = subject === null ? 0 : await forgetInChanges(tx, subject);
    const kept_parcels = subject === null ? 0 : await forgetKeptNames(tx, { subject });
    return {
      suppressed,
      contacts,
      numbers: numbers.length,
      provider_answers: answers!.erased,
      kept_responses: responses!.erased,
      changes,
      kept_parcels,
      list_notes,
    };
  });
}

/** If the request has only a number, a contact with other numbers keeps them. */
async function eraseContacts(db: Db, request: ForgetRequest, rows: readonly ContactRow[]): Promise<number> {
  const gone =
    request.subject !== null
      ? rows
      : rows.filter(row => row.phones.every(({ number }) => number === request.number));
  await db.run('contacts/erase_contacts', { ids: gone.map(row => row.id) });
  if (request.subject === null)
    await db.run('contacts/erase_number', { number: request.number, key: keyHash(phoneKey(request.number)) });
  return gone.length;
}

/** Notes and tags in lists that contain the person's full name or one of their numbers. */
async function forgetInNotes(db: Db, subject: Subject | null, numbers: readonly string[]): Promise<number> {
  const words =
    subject === null
      ? []
      : 'entity' in subject
        ? subject.entity.split(' ')
        : [subject.person.first, ...subject.person.last];
  const [row] = await db.run<{ erased: number }>('lists/empty_notes', {
    numbers: numbers.map(number => `%${number}%`),
    name: words.filter(Boolean).map(word => `% ${word.toUpperCase()} %`),
  });
  return row!.erased;
}
