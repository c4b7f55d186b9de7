import { z } from 'zod';
import { openProviderLookup, type ProviderLookup } from '../../../shared/contacts/ask-skip-trace-provider.ts';
import {
  type ContactRow,
  factsOf,
  findContacts,
  personReason,
  phonesOf,
  type TracedPhone,
} from '../../../shared/contacts/find-phones.ts';
import { hmac, phoneKey } from '../../../shared/contacts/person-identity.ts';
import type { TraceProvider } from '../../../shared/contacts/skip-trace-providers.ts';
import {
  contactSecret,
  firstReason,
  hashesOf,
  hexOf,
  listHashes,
  listSuppressed,
  pickKeys,
} from '../../../shared/contacts/suppression.ts';
import { type Address, type MatchedOn, placeOf, type Subject } from '../../../shared/kernels/person/match.ts';
import { type LineType, MAX_PHONES } from '../../../shared/model/contact-fields.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { unavailable } from '../../http/database.ts';
import type { CallContext } from '../../http/endpoint.ts';

/** The people or entities to look up, in the order in which they are tried. */
export type TraceRequest = { subjects: readonly Subject[]; address: Address; endpoint: string };

const phone = z.object({
  number: z
    .string()
    .regex(/^[0-9]{10}$/)
    .describe('Ten-digit phone number.'),
  line_type: z
    .enum(['Mobile', 'Landline'])
    .nullable()
    .describe(
      'Line type, based on the number block and its carrier, or on the source. Null if unknown. Approximate, because up to about 10% of numbers have moved to another carrier.',
    ),
  dnc: z
    .boolean()
    .nullable()
    .describe('Whether the number is on the federal Do Not Call Registry. Null when unknown.'),
  dnc_as_of: z.iso
    .date()
    .nullable()
    .describe(
      'Date of the registry file that `dnc` comes from. Null if `dnc` does not come from a registry file. The rules require a file from the last 31 days.',
    ),
});

export const phoneTrace = z
  .object({
    matched: z.boolean().describe('Whether phone numbers were found. A call without a match is free.'),
    matched_on: z
      .enum(['name_and_street', 'name_and_zip', 'name_and_city', 'entity'])
      .nullable()
      .describe('What the record and the request have in common. Null if there is no match.'),
    first_name: z
      .string()
      .nullable()
      .describe('First name on the matched record. Null for an entity, or if there is no match.'),
    last_name: z
      .string()
      .nullable()
      .describe('Last name on the matched record, or the name of the entity. Null if there is no match.'),
    withheld_reason: z
      .string()
      .nullable()
      .describe(
        'Why the numbers are withheld, if a feed of your operator lists the person, such as known litigators. Otherwise null.',
      ),
    phones: z
      .array(phone)
      .max(MAX_PHONES)
      .describe('Phone numbers, best match first, then mobile lines. Empty if there is no match.'),
  })
  .meta({ id: 'PhoneTrace' });

export type PhoneTrace = z.output<typeof phoneTrace>;

/** A trace, and the suppression-list hashes of its people. */
type TracedPeople = { trace: PhoneTrace; people: Buffer[] };

export type Trace = (question: TraceRequest, call: CallContext) => Promise<TracedPeople>;

const noMatch = (withheld_reason: string | null): PhoneTrace => ({
  matched: false,
  matched_on: null,
  first_name: null,
  last_name: null,
  withheld_reason,
  phones: [],
});

/** The matched record, its source, and the numbers that can be returned. */
type Answer = {
  source: string;
  matchedOn: MatchedOn;
  name: Pick<ContactRow, 'entity_name' | 'first_name' | 'last_name'>;
  phones: TracedPhone[];
  tags: string[];
};

/** `people`: hashes from the suppression list, or null for a trace that was stored without them. */
export type StoredTrace = { trace: PhoneTrace; people: readonly Buffer[] | null };

/**
 * Stored traces, minus any people who have been suppressed since. The suppression list is read after the
 * traces, so that no confirmed suppression is missed.
 */
export async function withoutSuppressed(db: Db, stored: readonly StoredTrace[]): Promise<PhoneTrace[]> {
  const hashes = await listHashes(
    db,
    stored.flatMap(({ people }) => people ?? []),
  );
  const tags = await listSuppressed(
    db,
    stored.flatMap(({ trace }) => trace.phones.map(({ number }) => phoneKey(number))),
  );
  return stored.map(({ trace, people }) => {
    const listed = pickKeys(
      tags,
      trace.phones.map(({ number }) => phoneKey(number)),
    );
    const ofPeople = pickKeys(hashes, (people ?? []).map(hexOf));
    const reason = ofPeople.size > 0 ? firstReason([...ofPeople.values()]) : personReason(listed);
    const phones = trace.phones.filter(({ number }) => !listed.has(phoneKey(number)));
    // A trace that was stored by an earlier release has no `withheld_reason`.
    return reason !== undefined || phones.length === 0
      ? noMatch(reason ?? trace.withheld_reason ?? null)
      : { ...trace, withheld_reason: null, phones };
  });
}

/**
 * Searches the contacts, then asks the provider. Writes an audit row before it returns any result.
 * @throws PlatError 503
 */
export function openTracing(db: Db, provider: TraceProvider | null, keepDays: number): Trace {
  const lookup = provider && {
    name: provider.name,
    ask: openProviderLookup(db, provider, keepDays),
  };
  return async (question, call) => {
    const { answer, withheld } = await findPhones(db, question, lookup);
    const matched = answer !== null && answer.phones.length > 0;
    const canonical = JSON.stringify([question.subjects, question.address]);
    await db.run('contacts/write_trace', {
      account_id: call.account.id,
      key_id: call.keyId ?? null,
      metering_key: question.endpoint,
      question_hmac: hmac(await contactSecret(db), canonical),
      source: matched ? answer.source : 'none',
      matched,
    });
    if (!matched) return { trace: noMatch(withheld), people: [] };
    return {
      trace: await present(db, answer),
      people: await hashesOf(db, answer.tags),
    };
  };
}

/** `withheld`: a feed's reason for withholding the numbers, if there is no answer because of it. */
type Found = { answer: Answer | null; withheld: string | null };

type NamedProvider = { name: string; ask: ProviderLookup };

async function findPhones(
  db: Db,
  { subjects, address }: TraceRequest,
  lookup: NamedProvider | null,
): Promise<Found> {
  const found = await findContacts(db, subjects, address);
  if (found.state === 'suppressed') return { answer: null, withheld: found.reason };
  if (found.state === 'unknown')
    return lookup === null ? { answer: null, withheld: null } : askProvider(lookup, subjects, address);
  const { matches, tags } = found;
  const { row } = matches[0]!.candidate;
  const { matchedOn } = matches[0]!;
  const phones = await phonesOf(db, matches);
  return { answer: { source: 'contacts', matchedOn, name: row, phones, tags }, withheld: null };
}

async function askProvider(
  { name, ask }: NamedProvider,
  subjects: readonly Subject[],
  address: Address,
): Promise<Found> {
  // Concurrent requests for the same person share this lookup. Its result is stored even if the client
  // disconnects.
  const provided = await ask(subjects, address).catch(error => {
    if (!(error instanceof PlatError) || error.code !== 'provider') throw error;
    throw unavailable('The phone number provider is unavailable. Try again later.', error, error.headers);
  });
  const { match, withheld } = provided;
  if (match === null) return { answer: null, withheld };
  const { subject, answer, tags } = match;
  const { street, zip } = placeOf(address);
  const byName = street !== null ? 'name_and_street' : zip !== null ? 'name_and_zip' : 'name_and_city';
  return {
    answer: {
      source: name,
      matchedOn: 'entity' in subject ? 'entity' : byName,
      name: { entity_name: null, first_name: answer.first_name, last_name: answer.last_name },
      phones: answer.phones.map(phone => ({ ...phone, rank: 0, lastSeen: null })),
      tags,
    },
    withheld,
  };
}

const KIND_ORDER: (LineType | null)[] = ['Mobile', 'Landline', null];

async function present(db: Db, { matchedOn, name, phones: found }: Answer): Promise<PhoneTrace> {
  const facts = await factsOf(
    db,
    found.map(({ number }) => number),
  );
  const phones = found.map(phone => {
    const { line_type, dnc = null, dnc_as_of = null } = facts.get(phone.number) ?? {};
    return { ...phone, line_type: line_type ?? phone.line_type, dnc: dnc ?? phone.dnc, dnc_as_of };
  });
  const place = (phone: (typeof phones)[number]) => KIND_ORDER.indexOf(phone.line_type);
  const ordered = phones.toSorted(
    (a, b) => a.rank - b.rank || place(a) - place(b) || (b.lastSeen ?? '').localeCompare(a.lastSeen ?? ''),
  );
  return {
    matched: true,
    matched_on: matchedOn,
    first_name: name.first_name,
    last_name: name.last_name ?? name.entity_name,
    withheld_reason: null,
    phones: ordered
      .slice(0, MAX_PHONES)
      .map(({ number, line_type, dnc, dnc_as_of }) => ({ number, line_type, dnc, dnc_as_of })),
  };
}
