import type { Fault } from './fault.ts';

export const people: readonly Fault[] = [
  {
    what: 'a suppressed number is returned',
    file: 'shared/contacts/find-phones.ts',
    from: 'return all.filter(({ number }) => !listed.has(phoneKey(number)));',
    to: 'return all.slice(listed.size * 0);',
    tests: [
      'test/e2e/api/skip-trace.test.ts',
      'test/e2e/api/skip-trace-kept.test.ts',
      'test/db/contacts.test.ts',
    ],
  },
  {
    what: 'a person suppressed under another address is returned',
    file: 'shared/contacts/find-phones.ts',
    from: 'identityTags(candidate.subject, candidate.row.places)',
    to: 'identityTags(candidate.subject, [address])',
    tests: [
      'test/e2e/api/skip-trace.test.ts',
      'test/e2e/api/skip-trace-kept.test.ts',
      'test/db/contacts.test.ts',
    ],
  },
  {
    what: 'forgetting a person leaves stored responses',
    file: 'sql/queries/contacts/contacts.sql',
    from: '  delete from idempotent_calls\n  where status is not null\n    and (people',
    to: '  delete from idempotent_calls\n  where status is null\n    and (people',
    tests: ['test/db/contacts.test.ts', 'test/e2e/api/skip-trace-kept.test.ts'],
  },
  {
    what: 'forgetting a person leaves answers of providers',
    file: 'workers/contacts/forget-contact.ts',
    from: "'contacts/erase_provider_answers', { person_hmacs }",
    to: "'contacts/erase_provider_answers', { person_hmacs: [] }",
    tests: ['test/e2e/api/skip-trace-provider.slow.test.ts'],
  },
  {
    what: "an unpaid invoice doesn't stop assistants",
    file: 'api/http/authorize.ts',
    from: '  if (!account.invoicePaid)\n',
    to: "  if (!account.invoicePaid && mode === 'direct')\n",
    tests: ['test/e2e/mcp/metering.test.ts'],
  },
  {
    what: 'stored responses are returned for a day, even if they expire earlier',
    file: 'sql/queries/accounts/calls.sql',
    from: "  when c.status is not null then c.created_at <= now() - c.kept_hours * interval '1 hour'",
    to: "  when c.status is not null then c.created_at <= now() - interval '24 hours'",
    tests: ['test/e2e/parcel-phones.test.ts'],
  },
  {
    what: 'emails continue after their reader has left the company',
    file: 'sql/queries/searches/follow.sql',
    from: 'join users u on u.id = r.user_id and u.company_id = s.company_id',
    to: 'join users u on u.id = r.user_id',
    tests: ['test/e2e/api/searches.test.ts', 'test/e2e/isolation.test.ts'],
  },
  {
    what: 'daily emails are sent 24 hours after the last',
    file: 'sql/queries/searches/follow.sql',
    from: "date_trunc('day', r.mailed_at) <> date_trunc('day', now())",
    to: "r.mailed_at < now() - interval '24 hours'",
    tests: ['test/e2e/api/searches.test.ts'],
  },
  {
    what: 'the unsubscribe link is in the log',
    file: 'api/http/start-request.ts',
    from: "    .replace(UNSUBSCRIBE, '[removed]')\n",
    to: '',
    tests: ['test/e2e/sign-in.test.ts'],
  },
];
