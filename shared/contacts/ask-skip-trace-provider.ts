import { type Address, placeOf, type Subject } from '../kernels/person/match.ts';
import { person } from '../kernels/person/person.ts';
import type { Db } from '../platform/db.ts';
import { PlatError } from '../platform/errors.ts';
import { CALL_LIMITS } from '../platform/http/guarded-call.ts';
import { personReason } from './find-phones.ts';
import { hmac, identityTags, isPhoneKey, phoneKey } from './person-identity.ts';
import type { ProviderAnswer, TraceProvider } from './skip-trace-providers.ts';
import { contactSecret, firstReason, listSuppressed } from './suppression.ts';

/** A match from a provider: the requested subject, the result, and the suppression tags of everyone in it. */
export type ProviderMatch = { subject: Subject; answer: ProviderAnswer; tags: string[] };

/** `withheld`: a feed's reason for withholding the numbers, if there is no match because of it. */
export type ProviderResult = { match: ProviderMatch | null; withheld: string | null };

export type ProviderLookup = (subjects: readonly Subject[], address: Address) => Promise<ProviderResult>;

/** Maximum number of people to look up for one owner text. Each lookup costs money. */
const MAX_LOOKUPS = 2;

/**
 * Looks people up with a provider, one at a time, until one is found. Results are stored for `keepDays`, so
 * that Plat doesn't pay for the same person twice.
 * @throws PlatError `provider` if it is unavailable
 */
export function openProviderLookup(db: Db, provider: TraceProvider, keepDays: number): ProviderLookup {
  const asking = new Map<string, Promise<ProviderAnswer | null>>();
  const count = (matches: number, failures: number, cents: number | null) =>
    db.run('contacts/count_provider_call', { name: provider.name, matches, failures, cents });

  async function once(
    subject: Subject,
    address: Address,
    signal: AbortSignal,
  ): Promise<ProviderAnswer | null> {
    const secret = await contactSecret(db);
    const question = hmac(secret, JSON.stringify([provider.name, subject, placeOf(address)]));
    const [kept] = await db.run<{ answer: ProviderAnswer | null }>('contacts/read_provider_answer', {
      question_hmac: question,
      days: keepDays,
    });
    if (kept !== undefined) return kept.answer;
    const answer = await provider.ask({ subject, address }, signal).catch(async error => {
      await count(0, 1, null).catch(() => {});
      throw signal.aborted ? timeoutError(provider.name) : error;
    });
    const matched = answer !== null && answer.phones.length > 0;
    const tags = tagsOf(subject, address, answer, true).map(tag => hmac(secret, tag));
    await count(matched ? 1 : 0, 0, matched ? provider.centsPerMatch : 0);
    if (keepDays > 0)
      await db.run('contacts/keep_provider_answer', {
        question_hmac: question,
        provider: provider.name,
        answer: answer && JSON.stringify(answer),
        person_hmacs: tags,
      });
    return answer;
  }

  return async (subjects, address) => {
    const signal = AbortSignal.timeout(CALL_LIMITS.totalMs);
    const reasons: (string | null)[] = [];
    for (const subject of distinctSubjects(subjects)) {
      const key = JSON.stringify([subject, placeOf(address)]);
      const answering = asking.get(key) ?? once(subject, address, signal).finally(() => asking.delete(key));
      asking.set(key, answering);
      const answer = await answering;
      if (answer === null) continue;
      const tags = tagsOf(subject, address, answer, false);
      const listed = await listSuppressed(db, tags);
      const phones = answer.phones.filter(({ number }) => !listed.has(phoneKey(number)));
      const reason = personReason(listed);
      if (reason !== undefined) reasons.push(reason);
      else if (phones.length > 0) {
        const people = tags.filter(tag => !isPhoneKey(tag));
        return { match: { subject, answer: { ...answer, phones }, tags: people }, withheld: null };
      }
    }
    return { match: null, withheld: firstReason(reasons) ?? null };
  };
}

/** The time limit covers all lookups, so the first of two people may use it up. */
function timeoutError(name: string): PlatError {
  return new PlatError('provider', `The provider ${name} did not respond in time. Try again later.`, {
    status: 503,
    headers: { 'Retry-After': '30' },
  });
}

/** Suppression tags for the person requested, the person found, and the phone numbers. */
function tagsOf(
  subject: Subject,
  address: Address,
  answer: ProviderAnswer | null,
  stored: boolean,
): string[] {
  const parsed = answer && person(answer.first_name ?? '', answer.last_name ?? '');
  return [
    ...identityTags(subject, [address], stored),
    ...(parsed ? identityTags({ person: parsed }, [address], stored) : []),
    ...(answer?.phones ?? []).map(({ number }) => phoneKey(number)),
  ];
}

/** Drops alternative readings of the same name, because looking up each one would cost money. */
function distinctSubjects(subjects: readonly Subject[]): Subject[] {
  const distinct: Subject[] = [];
  for (const subject of subjects) {
    const isRepeat = distinct.some(
      other =>
        'person' in subject &&
        'person' in other &&
        (other.person.first === subject.person.first || other.person.last.includes(subject.person.first)),
    );
    if (!isRepeat) distinct.push(subject);
  }
  return distinct.slice(0, MAX_LOOKUPS);
}
