import { z } from 'zod';
import type { ShapeWork } from '../../../shared/geo/shape-work.ts';
import type { FilterBody } from '../../../shared/parcels/filter/declare-filter.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { NOTIFY, type Notify } from '../../../shared/searches/search-terms.ts';
import { notFound, undefinedIf } from '../../http/error-responses.ts';
import { WIDE_FILTER } from '../examples/examples.ts';
import { filterBody } from '../parcels/filter/filter-body.ts';
import { isQuotable } from '../parcels/filter/filter-count.ts';
import { MIN_DISCLOSED_COUNT } from '../parcels/filter/withhold-counts.ts';

export const SEARCHES_PATH = '/api/public/v1/searches/';
export const NO_SEARCH = 'Your company has no saved search with this id.';

export const searchParams = z.object({ id: z.uuid('must be a UUID').describe('Id of the saved search.') });

export const savedSearch = z
  .object({
    id: z.uuid(),
    name: z.string(),
    filter: z
      .record(z.string(), z.unknown())
      .describe('The filter as it was sent, with the fields of `properties/filter/`.'),
    notify: z.enum(NOTIFY).describe('When Plat sends emails about new matches.'),
    emails: z.array(z.string()).describe('Email addresses of the users that Plat notifies.'),
    webhook_id: z
      .uuid()
      .nullable()
      .describe('Id of the webhook that receives `search.changed` messages. Null if there is none.'),
    members: z
      .int()
      .nullable()
      .describe(
        `Number of matching parcels. Null if it is below ${MIN_DISCLOSED_COUNT}, or if the filter can't be quoted.`,
      ),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'SavedSearch' });

export type SavedSearch = z.output<typeof savedSearch>;

export type SearchRow = Omit<SavedSearch, 'created_at' | 'members'> & {
  notify: Notify;
  counties: number[];
  seq: number;
  members: number;
  news: number;
  created_at: Date;
};

export async function toSearch(row: SearchRow, work: ShapeWork): Promise<SavedSearch> {
  const { id, name, filter, notify, emails, webhook_id, members, created_at } = row;
  const body = filterBody.parse(filter) as FilterBody;
  const isDisclosed =
    members >= MIN_DISCLOSED_COUNT &&
    // The number is not disclosed for a shape that was saved before the complexity limit was introduced.
    (await isQuotable(body, work).catch(undefinedIf(({ code }) => code === 'unprocessable')));
  return {
    id,
    name,
    filter,
    notify,
    emails,
    webhook_id,
    members: isDisclosed ? members : null,
    created_at: created_at.toISOString(),
  };
}

/** A company's searches. @param userId the user whose unseen changes are counted */
export const listRows = (
  db: Db,
  companyId: string,
  { id = null, userId = null }: { id?: string | null; userId?: string | null } = {},
): Promise<SearchRow[]> =>
  db.run<SearchRow>('searches/list_searches', { company_id: companyId, search_id: id, user_id: userId });

/** @throws PlatError `not_found` if the company has no such search */
export async function findSearch(db: Db, companyId: string, id: string): Promise<SearchRow> {
  const [found] = await listRows(db, companyId, { id });
  if (found === undefined) throw notFound(NO_SEARCH);
  return found;
}

export const SEARCH_EXAMPLE: SavedSearch = {
  id: 'f2b7c8d9-0e1f-4a2b-8c3d-4e5f6a7b8c9d',
  name: 'Sullivan NH, 5 to 20 acres, out of state',
  filter: WIDE_FILTER,
  notify: 'daily',
  emails: ['ana@acme.example'],
  webhook_id: null,
  members: 121,
  created_at: '2026-11-20T10:00:00.000Z',
};
