import type { Database } from './database.ts';
import type { Buckets } from './rate-limits-buckets.ts';

type Row = {
  account_id: string;
  level: number;
  skip_trace_level: number;
  plain_admitted: number;
  skip_traces_admitted: number;
};

/** Buckets in the database, by its clock. */
export function openPostgresBuckets(database: Database): Buckets {
  return async asked => {
    const ordered = asked.toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1));
    const rows = await database.run<Row>('api/admit_calls', [
      ordered.map(account => account.accountId),
      ordered.map(account => account.plain),
      ordered.map(account => account.skipTraces),
      ordered.map(account => account.perMinute),
      ordered.map(account => account.burst),
      ordered.map(account => account.skipTracePerMinute),
    ]);
    const found = new Map(rows.map(row => [row.account_id, row]));
    return asked.map(({ accountId }) => {
      const row = found.get(accountId)!;
      return {
        plain: row.plain_admitted,
        skipTraces: row.skip_traces_admitted,
        level: row.level,
        skipTraceLevel: row.skip_trace_level,
      };
    });
  };
}
