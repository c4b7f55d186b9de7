import { z } from 'zod';
import {
  CHANGE_TYPES,
  CHANGES_DAYS,
  type ChangedFields,
  type ChangeType,
} from '../../../shared/model/changes.ts';
import { costOf, PRICES } from '../../../shared/model/prices.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { fiveDigits } from '../../../shared/regions/counties.ts';
import { requestDigest } from '../../http/cursor.ts';
import { validationError } from '../../http/error-responses.ts';
import { sign, verifySigned } from '../../http/signed.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { requireKnownRegions } from '../common/known-regions.ts';
import { parcelUrl } from '../common/parcel-summary.ts';
import { fips } from '../common/request-schemas.ts';
import { findSearch } from '../searches/search-schema.ts';
import { GONE_AFTER_RESTORE, gone, isFromBeforeRestore } from './resync.ts';

const PATH = '/api/public/v1/changes/';
const USUAL_LIMIT = 100;
const MAX_LIMIT = 500;
/** Maximum number of changes that a page scans for the requested types. This takes about 50 ms. */
const SCANNED = 100_000;

export const limit = z
  .string()
  .regex(/^[0-9]{1,3}$/, 'must be a whole number')
  .transform(Number)
  .refine(value => value >= 1 && value <= MAX_LIMIT, `must be from 1 to ${MAX_LIMIT}`)
  .default(USUAL_LIMIT)
  .meta({
    description: 'Maximum number of changes on the page.',
    override: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: USUAL_LIMIT, pattern: undefined },
  });

const query = z.strictObject({
  types: z
    .union([z.string(), z.array(z.string())])
    .transform(given => [given].flat().flatMap(text => text.split(',')))
    .pipe(z.array(z.enum(CHANGE_TYPES, `must be one or more of ${CHANGE_TYPES.join(', ')}`)))
    .optional()
    .meta({
      description: 'Only changes of these types, separated by commas. You can also repeat the parameter.',
      example: 'parcel.new,parcel.changed,parcel.retired,parcel.returned',
      override: { type: 'string', anyOf: undefined },
    }),
  fips: fips.optional(),
  search_id: z
    .uuid('must be the id of a saved search')
    .optional()
    .describe('Only changes that a saved search recorded, up to the last change it has processed.'),
  cursor: z
    .string('must appear only once')
    .max(2_000, 'is not a valid cursor')
    .optional()
    .describe(
      '`next_cursor` from an earlier page. Valid only with the same `types`, `fips`, and `search_id`.',
    ),
  from: z
    .enum(['now'], 'must be now')
    .optional()
    .describe(
      '`now` returns no changes, only a cursor for changes after this moment.\n\nWithout `from`, `after`, and `cursor`, the page starts at the oldest stored change.',
    ),
  after: z
    .string()
    .regex(/^[0-9]{1,15}$/, 'must be a whole number')
    .transform(Number)
    .optional()
    .meta({
      description:
        'Starts with the change after this `seq`, such as one from a webhook message. Continue with `next_cursor`.',
      override: { type: 'integer', minimum: 0, pattern: undefined },
    }),
  limit,
});

export const change = z
  .object({
    seq: z.int().describe('Position of the change in the order of all changes. Always increases, with gaps.'),
    type: z.enum(CHANGE_TYPES).describe('Type of the change.'),
    at: z.iso.datetime().describe('Time when Plat recorded the change.'),
    run_id: z.int().nullable().describe('Id of the run that loaded it. Null for computed changes.'),
    fips: z
      .string()
      .nullable()
      .describe(
        '5-digit FIPS code of the county, or of the county that the ZIP code is in. Null for a listing in an unknown county.',
      ),
    property_id: z.int().optional().describe('Id of the parcel. Set only for parcel and valuation changes.'),
    listing_id: z.uuid().optional().describe('Id of the listing in `comps/`. Set only for listing changes.'),
    zip: z.string().optional().describe('ZIP code. Set only for changes to ZIP code statistics.'),
    fields: z
      .record(z.string(), z.array(z.unknown()).length(2))
      .describe(
        'For each changed field, its old and new value, as the API returns them. A new or returned parcel has all fields of its summary, including nulls, and every other known field. A new listing has all of its fields, and a retired parcel has none. `boundary` is a digest that changes with the shape.',
      ),
  })
  .meta({ id: 'Change' });

export type Change = z.output<typeof change>;

const EXAMPLE: { results: Change[]; next_cursor: string; has_more: boolean } = {
  results: [
    {
      seq: 48_213,
      type: 'parcel.changed',
      at: '2026-11-20T04:12:09.114Z',
      run_id: 71,
      fips: '33019',
      property_id: 3301900001047,
      fields: {
        owner_name: ['NOWELL ADA', 'GRANITE FORESTRY LLC'],
        last_sale_date: ['2009-05-01', '2026-10-02'],
        last_sale_price: [41_000, 68_300],
      },
    },
    {
      seq: 48_214,
      type: 'parcel.retired',
      at: '2026-11-20T04:12:09.114Z',
      run_id: 71,
      fips: '33019',
      property_id: 3301900000204,
      fields: {},
    },
  ],
  next_cursor: 'Jm0x8ZxJfU2Hq7w2v4nB5XsiciI6IkhwS2ZkQSIsInMiOjQ4MjE0fQ',
  has_more: false,
};

/** A digest of the filters, the last change read, and the time of that change in milliseconds. */
type Cursor = { r: string; s: number; t: number };

const FORMAT = 'plat changes 1\n';

type Row = {
  head: number | null;
  passed_at: Date | null;
  scanned: number | null;
  scanned_at: Date | null;
} & (Stored | { seq: null });
export type Stored = {
  seq: number;
  type: ChangeType;
  at: Date;
  run_id: number | null;
  fips: number | null;
  property_id: number | null;
  listing_id: string | null;
  zip: string | null;
  fields: ChangedFields;
};

export const metering = {
  key: 'public_changes',
  price: PRICES.changes,
  note: 'free for an empty page',
  atMost: ({ query: { limit } }: { query: { limit: number } }) => costOf(PRICES.changes, limit),
};

export const listChanges = defineEndpoint({
  path: PATH,
  operationId: 'list_changes',
  tag: 'Changes',
  summary: 'List changes',
  description: `Returns every change to parcels, listings, valuations, and statistics, in order and exactly once. Read page after page with \`next_cursor\` while \`has_more\` is true. Later, continue with the last cursor.\n\nA page can have fewer changes than \`limit\`, or none, while \`has_more\` is true. Changes are kept for ${CHANGES_DAYS} days. When a county's first parcels or first listings are loaded, there is only a single \`county.loaded\` change. Use other calls to fetch them. docs/changes.md explains how to keep a copy in sync.`,
  query,
  metering,
  response: {
    description: 'Changes, sorted by `seq`.',
    schema: z
      .object({
        results: z.array(change),
        next_cursor: z.string().describe('Cursor for the next page, now or later.'),
        has_more: z.boolean().describe('Whether there are more changes to read now.'),
      })
      .meta({ id: 'ChangePage' }),
    example: { summary: 'An owner changed, and a parcel left the roll', value: EXAMPLE },
  },
  errors: {
    not_found: 'Your company has no saved search with this id.',
    gone: `The cursor is older than ${CHANGES_DAYS} days, and changes after it were deleted. Or: ${GONE_AFTER_RESTORE}`,
  },
  handle: async ({ query: asked }, { db, cursorSecret }, call) => {
    requireOneStart(asked);
    const { types, fips: county, search_id, cursor, from, after: start, limit } = asked;
    await requireKnownRegions(db, [
      // With a cursor, the county was checked when the cursor was created.
      { field: 'fips', type: 'county', codes: county === undefined || cursor !== undefined ? [] : [county] },
    ]);
    const search =
      search_id === undefined ? undefined : await findSearch(db, call.account.companyId, search_id);
    const secret = await cursorSecret();
    const wanted = types && [...new Set(types)].sort();
    const digest = requestDigest({ types: wanted, fips: county, search_id });
    const sent = cursor === undefined ? undefined : readCursor(cursor, secret, digest);
    if (sent !== undefined && sent.t < call.now.getTime() - CHANGES_DAYS * 86_400_000)
      throw gone('expired', call.url, call.apiUrl);
    const page = (results: Change[], seq: number, at: Date, hasMore: boolean) => ({
      body: {
        results,
        next_cursor: sign(FORMAT, { r: digest, s: seq, t: at.getTime() } satisfies Cursor, secret),
        has_more: hasMore,
      },
      tokens: costOf(PRICES.changes, results.length),
    });
    if (from === 'now') {
      const [last] = await db.run<{ head: number }>('changes/get_head');
      return page([], search?.seq ?? last!.head, call.now, false);
    }

    const after = sent?.s ?? start ?? 0;
    const rows = await readChanges(db, { county, search_id, until: search?.seq, wanted, after, limit });
    const { head, scanned, scanned_at } = rows[0]!;
    if (isFromBeforeRestore({ seq: after, ...(sent && { at: sent.t }) }, rows[0]!))
      throw gone('restored', call.url, call.apiUrl);
    const found = rows.filter((row): row is Row & Stored => row.seq !== null);
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    const results = shown.map(row => toChange(row, call.appUrl));
    if (found.length > limit) return page(results, last!.seq, last!.at, true);
    if (scanned !== null) return page(results, scanned, scanned_at!, true);
    return page(results, Math.max(after, search?.seq ?? head ?? 0), call.now, false);
  },
});

function requireOneStart({ cursor, from, after }: z.output<typeof query>): void {
  if (cursor !== undefined && from !== undefined)
    throw validationError({ from: ['cannot be combined with cursor'] });
  if (after !== undefined && (cursor ?? from) !== undefined)
    throw validationError({ after: ['cannot be combined with cursor or from'] });
}

type ChangesWanted = {
  county: string | undefined;
  search_id: string | undefined;
  /** The last change that the search has processed. */
  until: number | undefined;
  wanted: readonly string[] | undefined;
  after: number;
  limit: number;
};

function readChanges(
  db: Db,
  { county, search_id, until, wanted, after, limit }: ChangesWanted,
): Promise<Row[]> {
  return db.run<Row>(
    'changes/list_changes',
    {
      after,
      limit,
      scan: wanted === undefined ? limit + 1 : SCANNED,
      ...(county !== undefined && { fips: Number(county) }),
      ...(search_id !== undefined && { search_id, until }),
      ...(wanted !== undefined && { types: wanted }),
    },
    {
      county: [
        county === undefined ? 'true' : 'c.fips = :fips::int',
        ...(search_id === undefined ? [] : [OF_SEARCH]),
      ].join(' and '),
      wanted: wanted === undefined ? 'true' : 'c.type = any (:types::text[])',
      filtered: String(wanted !== undefined),
    },
  );
}

const OF_SEARCH =
  'c.seq <= :until::bigint and c.seq in (select n.seq from search_changes n where n.search_id = :search_id::uuid)';

function readCursor(text: string, secret: Buffer, digest: string): Cursor {
  const cursor = verifySigned(FORMAT, text, [secret]) as Cursor | undefined;
  if (cursor === undefined)
    throw validationError({
      cursor: ['is not a valid cursor: start without it, or with from=now'],
    });
  if (cursor.r !== digest)
    throw validationError({
      cursor: ['belongs to a different request: keep the same types, fips, and search_id'],
    });
  return cursor;
}

export function toChange(
  { seq, type, at, run_id, fips, property_id, listing_id, zip, fields }: Stored,
  appUrl: string,
): Change {
  const address = property_id === null ? null : parcelUrl(appUrl, property_id);
  return {
    seq,
    type,
    at: at.toISOString(),
    run_id,
    fips: fips === null ? null : fiveDigits(fips),
    ...(property_id !== null && { property_id }),
    ...(listing_id !== null && { listing_id }),
    ...(zip !== null && { zip }),
    fields: {
      ...(type === 'parcel.new' && { url: [null, address] }),
      ...(type === 'parcel.returned' && { url: [address, address] }),
      ...fields,
    },
  };
}
