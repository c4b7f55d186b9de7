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
/** Changes that a page looks at for those of the types that are asked for: some 50 ms. */
const SCANNED = 100_000;

export const limit = z
  .string()
  .regex(/^[0-9]{1,3}$/, 'must be a whole number, given once')
  .transform(Number)
  .refine(value => value >= 1 && value <= MAX_LIMIT, `must be 1 to ${MAX_LIMIT}`)
  .default(USUAL_LIMIT)
  .meta({
    description: 'The most changes of the page.',
    override: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: USUAL_LIMIT, pattern: undefined },
  });

const query = z.strictObject({
  types: z
    .union([z.string(), z.array(z.string())])
    .transform(given => [given].flat().flatMap(text => text.split(',')))
    .pipe(z.array(z.enum(CHANGE_TYPES, `must be of ${CHANGE_TYPES.join(', ')}`)))
    .optional()
    .meta({
      description: 'Only changes of these types, separated by commas, or the parameter several times.',
      example: 'parcel.new,parcel.changed,parcel.retired,parcel.returned',
      override: { type: 'string', anyOf: undefined },
    }),
  fips: fips.optional(),
  search_id: z
    .uuid('must be the id of a saved search')
    .optional()
    .describe('Only what a saved search took note of, up to where it has looked.'),
  cursor: z
    .string('must be given once')
    .max(2_000, 'is not a cursor of this service')
    .optional()
    .describe('The `next_cursor` of an earlier page. It belongs to its `types`, `fips` and `search_id`.'),
  from: z
    .enum(['now'], 'must be now')
    .optional()
    .describe(
      '`now`: no change, but the cursor after which those to come are. Without it and a cursor: from the oldest that is kept.',
    ),
  after: z
    .string()
    .regex(/^[0-9]{1,15}$/, 'must be a whole number, given once')
    .transform(Number)
    .optional()
    .meta({
      description:
        'Begins with the change after this `seq`, as messages of webhooks say it; go on with `next_cursor`.',
      override: { type: 'integer', minimum: 0, pattern: undefined },
    }),
  limit,
});

export const change = z
  .object({
    seq: z.int().describe('Its place in the one order of all changes, which grows; numbers may be missing.'),
    type: z.enum(CHANGE_TYPES),
    at: z.iso.datetime().describe('When it was recorded.'),
    run_id: z.int().nullable().describe('The ingestion that brought it; null for what was computed.'),
    fips: z
      .string()
      .nullable()
      .describe('The county; of a ZIP the county that it falls in; null for a listing without a known one.'),
    property_id: z.int().optional().describe('Of parcels and valuations.'),
    listing_id: z.uuid().optional().describe('Of listings: their `id` in `comps/`.'),
    zip: z.string().optional().describe('Of statistics of a ZIP.'),
    fields: z
      .record(z.string(), z.array(z.unknown()).length(2))
      .describe(
        'For each field, its old and its new value, with the name and value that the API shows. A parcel that is new or back has all fields of its summary, nulls included, and every other field that is known. A new listing has all its fields, a retired parcel none. `boundary` is a digest of the shape that changes when the shape does.',
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

/** Digest of the filters, the last change that was seen, and when that was, in milliseconds. */
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
  note: 'free for a page without any',
  atMost: ({ query: { limit } }: { query: { limit: number } }) => costOf(PRICES.changes, limit),
};

export const listChanges = defineEndpoint({
  path: PATH,
  operationId: 'list_changes',
  tag: 'Changes',
  summary: 'List changes',
  description: `What ingestions, valuations and statistics changed, in one order, each change exactly once: read page after page with \`next_cursor\` while \`has_more\`, then now and then with the last one. A page may hold fewer changes than \`limit\`, or none, and \`has_more\` all the same. Changes are kept ${CHANGES_DAYS} days. The first parcels of a county, and its first listings, are one \`county.loaded\`: read it by other calls then. docs/changes.md keeps a copy in step.`,
  query,
  metering,
  response: {
    description: 'Changes by `seq`.',
    schema: z
      .object({
        results: z.array(change),
        next_cursor: z.string().describe('Where the next page begins, now or later.'),
        has_more: z.boolean().describe('Whether there is more to read now.'),
      })
      .meta({ id: 'ChangePage' }),
    example: { summary: 'An owner changed, and a parcel left the roll', value: EXAMPLE },
  },
  errors: {
    not_found: 'The company has no saved search with this id.',
    gone: `The cursor is older than ${CHANGES_DAYS} days, and changes after it were deleted. Or: ${GONE_AFTER_RESTORE}`,
  },
  handle: async ({ query: asked }, { db, cursorSecret }, call) => {
    requireOneStart(asked);
    const { types, fips: county, search_id, cursor, from, after: start, limit } = asked;
    await requireKnownRegions(db, [
      // That of a cursor was known when the cursor was made.
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
    throw validationError({ from: ['does not go with a cursor, which says where to begin'] });
  if (after !== undefined && (cursor ?? from) !== undefined)
    throw validationError({ after: ['goes with neither a cursor nor from, which say where to begin'] });
}

type ChangesWanted = {
  county: string | undefined;
  search_id: string | undefined;
  /** Of a search, its last change. */
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
      cursor: ['is not a cursor of this service: begin without it, or with from=now'],
    });
  if (cursor.r !== digest)
    throw validationError({
      cursor: ['belongs to other types or another county: both must stay as they were'],
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
