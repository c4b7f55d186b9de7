import { z } from 'zod';
import { costOf, PRICES } from '../../../shared/model/prices.ts';
import { validationError } from '../../http/error-responses.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { findSearch, NO_SEARCH, SEARCHES_PATH, searchParams } from '../searches/search-schema.ts';
import { change, limit, metering, type Stored, toChange } from './list-changes.ts';
import { GONE_AFTER_RESTORE, gone } from './resync.ts';

const note = z
  .object({
    n: z.int().describe('Position in the order of all search changes. Always increases.'),
    became: z
      .enum(['added', 'removed', 'changed'])
      .describe(
        '`added`: the parcel matches now. `removed`: it no longer matches. `changed`: it still matches, but has changed.',
      ),
    noted_at: z.iso.datetime().describe('Time when Plat recorded it.'),
    property_id: z.int().describe('Id of the parcel.'),
    change: change
      .nullable()
      .describe(
        'The change to the parcel. Null if no recorded change was the cause, such as when time has passed (which affects months owned) or the land was measured for the first time. Also null if the change is over 400 days old.',
      ),
  })
  .meta({ id: 'SearchChange' });

type Row = { n: number; became: 'added' | 'removed' | 'changed'; noted_at: Date; parcel: number } & (
  | Stored
  | { seq: null }
);

export const listSearchChanges = defineEndpoint({
  path: `${SEARCHES_PATH}{id}/changes/`,
  operationId: 'list_search_changes',
  tag: 'Saved searches',
  summary: 'List changes for a saved search',
  description:
    'Returns parcels added, removed, or changed since the search was saved, in order and exactly once. Read page after page with `next_cursor` while `has_more` is true. Later, continue with the last cursor. Changes are kept for 400 days.',
  params: searchParams,
  query: z.strictObject({
    cursor: z
      .string()
      .regex(/^[0-9]{1,15}$/, 'is not a valid cursor')
      .transform(Number)
      .optional()
      .meta({
        description: '`next_cursor` from an earlier page, or `after` from a webhook message.',
        override: { type: 'string', pattern: undefined },
      }),
    from: z
      .enum(['now'], 'must be now')
      .optional()
      .describe('`now` returns no changes, only a cursor for changes after this moment.'),
    limit,
  }),
  metering,
  response: {
    description: 'Changes, sorted by `n`.',
    schema: z
      .object({
        results: z.array(note),
        next_cursor: z.string().describe('Cursor for the next page, now or later.'),
        has_more: z.boolean().describe('Whether there are more changes to read now.'),
      })
      .meta({ id: 'SearchChangePage' }),
    example: {
      summary: 'A parcel was sold and now matches',
      value: {
        results: [
          {
            n: 311,
            became: 'added',
            noted_at: '2026-11-20T04:12:11.020Z',
            property_id: 3301900001047,
            change: {
              seq: 48_213,
              type: 'parcel.changed',
              at: '2026-11-20T04:12:09.114Z',
              run_id: 71,
              fips: '33019',
              property_id: 3301900001047,
              fields: { last_sale_date: ['2009-05-01', '2026-10-02'] },
            },
          },
        ],
        next_cursor: '311',
        has_more: false,
      },
    },
  },
  errors: { not_found: NO_SEARCH, gone: GONE_AFTER_RESTORE },
  handle: async ({ params: { id }, query: { cursor, from, limit } }, { db }, call) => {
    if (cursor !== undefined && from !== undefined)
      throw validationError({ from: ['cannot be combined with cursor'] });
    await findSearch(db, call.account.companyId, id);
    const newest = async () => {
      const [last] = await db.run<{ n: number }>('searches/get_last_note', { search_id: id });
      return last!.n;
    };
    if (from === 'now')
      return { body: { results: [], next_cursor: String(await newest()), has_more: false }, tokens: 0 };
    const after = cursor ?? 0;
    const rows = await db.run<Row>('searches/list_notes', { search_id: id, after, limit: limit + 1 });
    if (rows.length === 0 && after > (await newest())) throw gone('restored', call.url, call.apiUrl);
    const shown = rows.slice(0, limit);
    const results = shown.map(row => ({
      n: row.n,
      became: row.became,
      noted_at: row.noted_at.toISOString(),
      property_id: row.parcel,
      change: row.seq === null ? null : toChange(row, call.appUrl),
    }));
    return {
      body: {
        results,
        next_cursor: String(shown.at(-1)?.n ?? after),
        has_more: rows.length > limit,
      },
      tokens: costOf(PRICES.changes, results.length),
    };
  },
});
