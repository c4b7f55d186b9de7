import { hash } from 'node:crypto';
import { readKeptAnswer } from '../../../shared/accounts/account-statements.ts';
import { factsOf } from '../../../shared/contacts/find-phones.ts';
import { identityTags, subjectOf } from '../../../shared/contacts/person-identity.ts';
import { hashesOf } from '../../../shared/contacts/suppression.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { pageKey } from '../../http/idempotency.ts';
import { type PhoneTrace, withoutSuppressed } from '../../v1/common/skip-tracing.ts';
import { tracePropertyOwner } from '../../v1/contacts/skip-trace.ts';
import { callPaid } from '../frame/paid-call.ts';
import { accountOf, type Reply, type Visit } from '../frame/visit.ts';
import { type Detail, readDetail } from './read-detail.ts';

/** Paid results are free for 30 days. If nothing was found, the user can try again the next day. */
const PAID_HOURS = 30 * 24;
const UNKNOWN_HOURS = 24;

export type LookedUp = { trace: PhoneTrace; at: Date };

const OWNER_FIELDS = ['owner_name', 'owner_name_2', 'mail_address', 'mail_city', 'mail_state', 'mail_zip'];

/** Includes the owner, so that a new owner's numbers are looked up separately. */
function keyOf(detail: Detail): string {
  const owner = hash('sha256', JSON.stringify(OWNER_FIELDS.map(name => detail[name])));
  return pageKey(`trace/${detail.property_id}/${owner.slice(0, 32)}`);
}

/** Looks up the numbers for the session's account. Repeats are free. @throws PlatError like the endpoint */
export const lookUp = (visit: Visit, detail: Detail): Promise<PhoneTrace> =>
  callPaid<PhoneTrace>(visit, tracePropertyOwner, {
    params: { property_id: String(detail.property_id) },
    key: keyOf(detail),
    keptHours: trace => ((trace as PhoneTrace).matched ? PAID_HOURS : UNKNOWN_HOURS),
  });

/** Why no numbers were looked up. Rethrows server errors. */
export function refusalOf(error: unknown): { words: string; status: number } {
  if (!(error instanceof PlatError) || error.status >= 500) throw error;
  const { message, details, status } = error;
  const missing = Object.values(details ?? {}).flat();
  const words = missing.length > 0 ? `The owner record is incomplete: ${missing.join('; ')}.` : message;
  return { words, status };
}

export async function lookUpOnPage(visit: Visit): Promise<Reply> {
  await lookUp(visit, await readDetail(visit, visit.form.get('property_id') ?? ''));
  return { redirect: `${visit.url.pathname}${visit.url.search}#owner` };
}

/**
 * Numbers that the account has looked up, except those that have since been suppressed. Uses today's Do Not
 * Call data.
 */
export async function readPhones(visit: Visit, detail: Detail): Promise<LookedUp | undefined> {
  const account = await accountOf(visit);
  const { db } = visit.deps;
  const row = await readKeptAnswer(db, account?.id ?? null, keyOf(detail));
  if (row === undefined) return undefined;
  const kept = JSON.parse(row.body.toString()) as PhoneTrace;
  const people = row.people ?? (await hashesOf(db, tagsOf(kept, detail)));
  const trace = await withoutSuppressed(db, kept, people);
  const facts = await factsOf(
    db,
    trace.phones.map(({ number }) => number),
  );
  const phones = trace.phones.map(phone => {
    const { dnc, dnc_as_of } = facts.get(phone.number) ?? phone;
    return dnc === null ? phone : { ...phone, dnc, dnc_as_of };
  });
  return { trace: { ...trace, phones }, at: row.created_at };
}

/** The owner's tags in the suppression list, for a trace that was stored without them. */
function tagsOf({ first_name, last_name }: PhoneTrace, detail: Detail): string[] {
  const subject = subjectOf({
    entity_name: first_name === null ? last_name : null,
    first_name,
    middle_name: null,
    last_name,
    suffix: null,
  });
  const [address, city, state, zip] = OWNER_FIELDS.slice(2).map(name => detail[name] as string | null);
  return subject === null
    ? []
    : identityTags(subject, [{ address: address!, city: city!, state: state!, zip: zip! }]);
}
