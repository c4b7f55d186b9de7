import { hash } from 'node:crypto';
import { listKeptAnswers } from '../../../shared/accounts/account-statements.ts';
import { factsOf } from '../../../shared/contacts/find-phones.ts';
import { identityTags, subjectOf } from '../../../shared/contacts/person-identity.ts';
import { hashesOf } from '../../../shared/contacts/suppression.ts';
import { countyOf } from '../../../shared/model/property-id.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { pageKey } from '../../http/idempotency.ts';
import { type PhoneTrace, withoutSuppressed } from './skip-tracing.ts';

/**
 * Phone numbers that a company has looked up in the app. They are stored for 30 days as the responses of
 * these calls, so that people who are suppressed or forgotten disappear from them too.
 */
export type FoundPhones = { trace: PhoneTrace; at: Date };

const OWNER_FIELDS = [
  'owner_name',
  'owner_name_2',
  'mail_address',
  'mail_city',
  'mail_state',
  'mail_zip',
] as const;

export type OwnerRecord = Readonly<
  { property_id: number } & Record<(typeof OWNER_FIELDS)[number], string | null>
>;

/** The key of a lookup. Includes the owner, so that a new owner's numbers are looked up separately. */
export function traceKey(owner: OwnerRecord): string {
  const digest = hash('sha256', JSON.stringify(OWNER_FIELDS.map(name => owner[name])));
  return pageKey(`trace/${owner.property_id}/${digest.slice(0, 32)}`);
}

/** The current owners of parcels on the roll. */
export async function listOwners(db: Db, ids: readonly number[]): Promise<OwnerRecord[]> {
  // Citus asks every shard about an empty list of counties.
  if (ids.length === 0) return [];
  return db.run<OwnerRecord>('contacts/list_owners', {
    property_ids: ids,
    counties: [...new Set(ids.map(countyOf))],
  });
}

/**
 * What the company has looked up about these owners, by parcel id, except people who have been suppressed
 * since. Uses today's Do Not Call data.
 */
export async function findStoredPhones(
  db: Db,
  companyId: string,
  owners: readonly OwnerRecord[],
): Promise<Map<number, FoundPhones>> {
  const byKey = new Map(owners.map(owner => [traceKey(owner), owner]));
  const rows = await listKeptAnswers(db, companyId, [...byKey.keys()]);
  const stored = await Promise.all(
    rows.map(async ({ key, body, people, created_at }) => {
      const trace = JSON.parse(body.toString()) as PhoneTrace;
      const owner = byKey.get(key)!;
      return {
        owner,
        trace,
        people: people ?? (await hashesOf(db, tagsOf(trace, owner))),
        at: created_at,
      };
    }),
  );
  const traces = await withoutSuppressed(db, stored);
  const facts = await factsOf(
    db,
    traces.flatMap(({ phones }) => phones.map(({ number }) => number)),
  );
  const current = ({ phones, ...trace }: PhoneTrace): PhoneTrace => ({
    ...trace,
    phones: phones.map(phone => {
      const { dnc, dnc_as_of } = facts.get(phone.number) ?? phone;
      return dnc === null ? phone : { ...phone, dnc, dnc_as_of };
    }),
  });
  return new Map(
    stored.map(({ owner, at }, i) => [owner.property_id, { trace: current(traces[i]!), at }] as const),
  );
}

/** The owner's tags in the suppression list, for a trace that was stored without them. */
function tagsOf({ first_name, last_name }: PhoneTrace, owner: OwnerRecord): string[] {
  const subject = subjectOf({
    entity_name: first_name === null ? last_name : null,
    first_name,
    middle_name: null,
    last_name,
    suffix: null,
  });
  const { mail_address: address, mail_city: city, mail_state: state, mail_zip: zip } = owner;
  return subject === null ? [] : identityTags(subject, [{ address, city, state, zip }]);
}
