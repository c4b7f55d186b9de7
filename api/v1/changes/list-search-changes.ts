import { z } from 'zod';
import { costOf, PRICES } from '../../../shared/model/prices.ts';
import { validationError } from '../../http/error-responses.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { findSearch, NO_SEARCH, SEARCHES_PATH, searchParams } from '../searches/search-schema.ts';
import { change, limit, metering, type Stored, toChange } from './list-changes.ts';
import { GONE_AFTER_RESTORE, gone } from './resync.ts';

const note = z
  .object({
    n: z.int().describe('Its place in the order of what became of parcels in searches, which grows.'),
    became: z
      .enum(['added', 'removed', 'changed'])
      .describe('Whether the search found the parcel for the first time, no longer, or still.'),
    noted_at: z.iso.datetime(),
    property_id: z.int(),
    change: change
      .nullable()
      .describe(
        'What was noted of the parcel; null where nothing was: time went on, its land was measured for the first time, or it is over 400 days ago.',
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
  summary: 'List changes of a saved search',
  description:
    'Parcels that were added, removed or changed since the search was saved, in one order, each once: read page after page with `next_cursor` while `has_more`, then now and then with the last one. They are kept 400 days.',
  params: searchParams,
  query: z.strictObject({
    cursor: z
      .string()
      .regex(/^[0-9]{1,15}$/, 'is not a cursor of this service')
      .transform(Number)
      .optional()
      .meta({
        description: "The `next_cursor` of an earlier page, or `after` of a webhook's message.",
        override: { type: 'string', pattern: undefined },
      }),
    from: z
      .enum(['now'], 'must be now')
      .optional()
      .describe('`now`: nothing, but the cursor after which what is to come is.'),
    limit,
  }),
  metering,
  response: {
    description: 'By `n`.',
    schema: z
      .object({
        results: z.array(note),
        next_cursor: z.string().describe('Where the next page begins, now or later.'),
        has_more: z.boolean(),
      })
      .meta({ id: 'SearchChangePage' }),
    example: {
      summary: 'A parcel was sold, and is found now',
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
      throw validationError({ from: ['does not go with a cursor, which says where to begin'] });
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
