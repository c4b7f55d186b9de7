import { beforeEach, test } from 'vitest';
import { expectAlike, FEW, idIn, MANY, newClient, type Step, startTwins } from '../support/twins.ts';

/** What a client without tokens might try on lists, and does not learn anything by. */
const twins = await startTwins();
beforeEach(async () => {
  for (const twin of twins) await newClient(twin);
});

const few = { county: String(FEW) };
const many = { county: String(MANY) };
const VALUABLE = { market_total_value_min: 15_000 };

const list = (body: object = {}): Step => ({ operation: 'create_list', body: { name: 'a', ...body } });
const on = (operation: string, given: Pick<Step, 'query' | 'body'> = {}): Step => ({
  operation,
  params: { id: '{made}' },
  ...given,
});
const add = (body: object, query = {}) => on('add_list_rows', { body, query });
const byIds = (...property_ids: number[]) => add({ property_ids });
const lookAtAll: Step[] = [
  on('get_list'),
  { operation: 'list_lists' },
  on('read_list_rows', { query: { quote: 'true' } }),
  on('read_list_rows', { query: { page_size: 1 } }),
  on('read_list_rows', { query: { page: 9 } }),
  { operation: 'create_export', query: { quote: 'true' }, body: { list_id: '{made}', format: 'csv' } },
  { operation: 'create_export', body: { list_id: '{made}', format: 'csv', most_tokens: 25 } },
];

test.each<[string, Step[]]>([
  ['how many a filter finds, by a list of them', [list(), add({ filter: { ...few, acres_min: 3 } })]],
  [
    'whether a parcel passes a filter, by adding it to a list of those that do',
    [list(), add({ filter: { ...few, acres_min: 3 } }), byIds(idIn(FEW, 3))],
  ],
  [
    'the same by taking it off',
    [
      list(),
      add({ filter: { ...many, ...VALUABLE } }),
      on('remove_list_rows', { query: { property_ids: String(idIn(MANY, 1)) } }),
    ],
  ],
  [
    'the same by a tag',
    [
      list(),
      add({ filter: { ...many, ...VALUABLE } }),
      on('update_list_rows', { body: { property_ids: [idIn(MANY, 1)], tags: ['a'] } }),
      on('read_list_rows', { query: { tag: 'a' } }),
      on('read_list_rows', { query: { tag: 'a', quote: 'true' } }),
    ],
  ],
  [
    'the same by its status',
    [
      list(),
      add({ filter: { ...many, ...VALUABLE } }),
      on('update_list_rows', { body: { property_ids: [idIn(MANY, 1)], status: 'mailed' } }),
    ],
  ],
  [
    'the same by adding those that pass to a list of it',
    [list(), byIds(idIn(MANY, 1)), add({ filter: { ...many, ...VALUABLE } })],
  ],
  [
    'the same by a list that leaves those out',
    [
      list(),
      add({ filter: { ...many, ...VALUABLE } }),
      list({ leave_out: { lists: ['{made}'] } }),
      byIds(idIn(MANY, 1)),
    ],
  ],
  [
    'which parcels have one owner, by a list of owners',
    [list({ one_per_owner: true }), byIds(idIn(FEW, 1), idIn(FEW, 3))],
  ],
  [
    'the same by a change of one of them',
    [
      list({ one_per_owner: true }),
      byIds(idIn(FEW, 1), idIn(FEW, 3)),
      on('update_list_rows', { body: { property_ids: [idIn(FEW, 3)], status: 'mailed' } }),
      on('update_list', { body: { one_per_owner: false } }),
    ],
  ],
  [
    'the same by removing one of them',
    [
      list({ one_per_owner: true }),
      byIds(idIn(FEW, 1), idIn(FEW, 3)),
      on('remove_list_rows', { query: { property_ids: String(idIn(FEW, 3)) } }),
    ],
  ],
  [
    'the same by who wants no letters',
    [
      list(),
      byIds(idIn(FEW, 3)),
      on('update_list_rows', { body: { property_ids: [idIn(FEW, 3)], do_not_mail: true } }),
      list(),
      byIds(idIn(FEW, 1)),
    ],
  ],
  [
    'the same by who was mailed',
    [
      list(),
      byIds(idIn(FEW, 3)),
      on('update_list_rows', { body: { property_ids: [idIn(FEW, 3)], status: 'mailed' } }),
      list({ leave_out: { mailed_within_days: 9 } }),
      byIds(idIn(FEW, 1)),
    ],
  ],
  [
    'how many of a filter are in a list, by 500 quotes',
    Array.from({ length: 500 }, () => ({ operation: 'quote_filter', body: { ...few, acres_min: 3 } })),
  ],
])('%s is not learned', async (_what, steps) => {
  await expectAlike(twins, [...steps, ...(steps[0]?.operation === 'create_list' ? lookAtAll : [])]);
});
