import type { Fault } from './fault.ts';

export const money: readonly Fault[] = [
  {
    what: 'a quote reveals the number of owners below 25',
    file: 'api/v1/exports/export-endpoints.ts',
    from: 'const isDisclosed = counts.count !== null && rows >= MIN_DISCLOSED_COUNT;',
    to: 'const isDisclosed = counts.count !== null;',
    tests: [
      'test/e2e/api/export-files.test.ts',
      'test/e2e/api/exports.test.ts',
      'test/e2e/api/export-kinds.test.ts',
      'test/properties/export-quote.test.ts',
    ],
  },
  {
    what: 'a formula with + is left unchanged',
    file: 'shared/platform/to-csv.ts',
    from: '/^\\s*[=+\\-@',
    to: '/^\\s*[=\\-@',
    tests: ['test/unit/exports/csv-file.test.ts', 'test/unit/api/figures.test.ts'],
  },
  {
    what: 'a formula with + is copied into a file',
    file: 'workers/exports/csv-file.ts',
    from: "for (const sign of '=+-@')",
    to: "for (const sign of '=-@')",
    tests: ['test/unit/exports/csv-file.test.ts'],
  },
  {
    what: 'a caller who left is charged',
    file: 'api/http/meter.ts',
    from: '    if (isFinished()) continue;\n',
    to: '',
    tests: ['test/e2e/api/metering.test.ts'],
  },
  {
    what: 'the order form shows the tokens left before the order',
    file: 'api/pages/exports/export-order.tsx',
    from: 'count(Math.max(0, left - price.tokens))',
    to: 'count(Math.max(0, left))',
    tests: ['test/e2e/exports-page.slow.test.ts'],
  },
  {
    what: 'identical calls are charged once',
    file: 'sql/queries/accounts/calls.sql',
    from: 'sum(tokens * charged), sum(charged)',
    to: 'sum(tokens * charged), count(*)',
    tests: ['test/properties/metering.test.ts', 'test/e2e/api/metering.test.ts'],
  },
  {
    what: 'a charge in an old period is no longer refused',
    file: 'sql/queries/accounts/calls.sql',
    from: 'where p.period_end is null and a.period_end > now()\n  order by n',
    to: 'where p.period_end is null\n  order by n',
    tests: [
      'test/properties/periods.test.ts',
      'test/e2e/api/period-end.test.ts',
      'test/properties/metering.test.ts',
    ],
  },
  {
    what: 'a call passes although no tokens are left',
    file: 'api/http/authorize.ts',
    from: 'if (tokensLeft < need)',
    to: 'if (tokensLeft < need - 1)',
    tests: ['test/e2e/api/account-refusals.slow.test.ts', 'test/e2e/api/metering.test.ts'],
  },
  {
    what: 'another attempt takes over a call in progress',
    file: 'sql/queries/accounts/calls.sql',
    from: '  else c.claimed_until <= now()\n    and',
    to: '  else true\n    and',
    tests: ['test/e2e/api/idempotency.test.ts'],
  },
  {
    what: 'the fingerprint of a repeated call is not compared',
    file: 'sql/queries/accounts/calls.sql',
    from: '(c.made is null or c.fingerprint = excluded.fingerprint or',
    to: '(c.made is null or true or',
    tests: ['test/e2e/api/idempotency.test.ts', 'test/e2e/api/exports.test.ts'],
  },
];
