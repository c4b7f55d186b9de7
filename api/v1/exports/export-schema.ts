import { z } from 'zod';
import type { ExportError } from '../../../shared/exports/end-export.ts';
import { columnNames, EXPORT_COLUMNS } from '../../../shared/exports/export-columns.ts';
import { type NamedOrder, SUBJECT } from '../../../shared/exports/export-name.ts';
import { EXPORT_FORMATS, kindOf } from '../../../shared/exports/export-request.ts';
import { ROW_STATUSES } from '../../../shared/lists/list-terms.ts';
import { compsRequest } from '../../../shared/market/comps-query.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { FileAddresses } from '../../files/file-address.ts';
import { type CallContext, link } from '../../http/endpoint.ts';
import { WIDE_FILTER } from '../examples/examples.ts';
import { sentFilter } from '../parcels/filter/filter-body.ts';

const REQUEST_EXAMPLE = {
  filter: WIDE_FILTER,
  format: 'csv',
  columns: [
    'property_id',
    'apn',
    'acres',
    'owner_name',
    'mail_address',
    'mail_city',
    'mail_state',
    'mail_zip',
  ],
  most_tokens: 5_000,
};

/** As the query of comps/, in JSON; kept as it was sent, too. */
const sentComps = z
  .record(z.string(), z.unknown(), 'must be an object: the parameters of comps/')
  .superRefine((sent, context) => {
    const { error } = compsRequest.safeParse(sent, { reportInput: true });
    for (const issue of error?.issues ?? []) context.issues.push({ ...issue, input: sent } as never);
  })
  .meta({ example: { fips: '33019', status: ['SOLD'], acres_min: 5 } });

/** Far more than a body of 1 MB and a reader bear; the nation has 3,144 counties and some 33,000 ZIPs. */
const MOST_MARKETS = 20_000;

const SOURCES = ['filter', 'list_id', 'comps', 'markets'] as const;

export const newExport = z
  .strictObject({
    filter: sentFilter.optional().describe('Parcels: all that `properties/filter/` finds.'),
    list_id: z
      .uuid('must be the id of a list')
      .optional()
      .describe(
        'Parcels: the rows of a list of the company, as it shows them, without owners who are marked `do_not_mail`.',
      ),
    comps: sentComps
      .optional()
      .describe('Comps: the query parameters of `GET comps/` by their names, without pages.'),
    markets: z
      .array(z.uuid('must be ids of regions'), 'must be a list of ids of regions')
      .min(1, 'must name a market')
      .max(MOST_MARKETS, `must be at most ${MOST_MARKETS}`)
      .refine(ids => new Set(ids).size === ids.length, 'must name each market once')
      .optional()
      .describe(
        'Market statistics, a line for each acreage bucket: ids of regions, as `GET regions/` tells them. csv or xlsx.',
      ),
    format: z
      .enum(EXPORT_FORMATS, `must be one of ${EXPORT_FORMATS.join(', ')}`)
      .describe('`xlsx` and `csv` are tables; the others have a shape for each row.'),
    columns: z
      .array(z.enum(EXPORT_COLUMNS, 'is no column: see docs/exports.md'))
      .min(1, 'must name a column')
      .refine(names => new Set(names).size === names.length, 'must name each column once')
      .optional()
      .describe(
        'In the order of the file; all of them by themselves. `sources`, whom to credit, comes last in any case.',
      ),
    boundary: z
      .boolean('must be true or false')
      .optional()
      .describe(
        "The parcel's boundary in place of a point: of geojsonl, geoparquet and kml unless it is false; of csv, as WKT, where it is true; not of xlsx.",
      ),
    one_per_owner: z
      .boolean('must be true or false')
      .optional()
      .describe(
        'The largest parcel of each owner alone, with `owner_parcels` and `owner_acres`. Of a list what it is set to, unless it is told here.',
      ),
    status: z
      .enum(ROW_STATUSES, `must be one of ${ROW_STATUSES.join(', ')}`)
      .optional()
      .describe('Of a list only the rows of this status.'),
    most_tokens: z
      .int('must be a whole number')
      .min(0, 'must be 0 or more')
      .optional()
      .describe(
        'The export fails, and costs nothing, if it would cost more. 25 or more unless it is of markets, because fewer rows are never counted for free.',
      ),
  })
  .superRefine((given, context) => {
    const add = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    const named = SOURCES.filter(name => given[name] !== undefined);
    if (named.length !== 1)
      for (const name of named.length === 0 ? SOURCES : named)
        add(name, `exactly one of ${SOURCES.join(', ')} is required`);
    const { format, boundary, columns, one_per_owner, status } = given;
    const kind = kindOf(given);
    const isParcels = kind !== 'comps' && kind !== 'markets';
    if (format === 'xlsx' && boundary)
      add(
        'boundary',
        'is too long for the cells of xlsx: leave it out, or choose csv, geojsonl or geoparquet',
      );
    else if (boundary && !isParcels) add('boundary', 'is of parcels alone: leave it out');
    if (kind === 'markets' && format !== 'csv' && format !== 'xlsx')
      add('format', 'must be csv or xlsx: markets have no shapes');
    if (one_per_owner && !isParcels) add('one_per_owner', 'is of parcels alone: leave it out');
    if (status !== undefined && kind !== 'list') add('status', 'goes with list_id alone');
    const strange = columns?.filter(name => !columnNames(kind).includes(name)) ?? [];
    if (strange.length > 0)
      add(
        'columns',
        `${strange.join(', ')}: no columns of this file, which may have ${columnNames(kind).join(', ')}`,
      );
  })
  .meta({ id: 'NewExport', example: REQUEST_EXAMPLE });

const count = (description: string) => z.int().min(0).nullable().describe(description);

const part = z
  .object({
    n: z.int().min(1).describe('Its place: one part after the other they are the file.'),
    url: link.describe('Needs no key. Takes `Range`, so that what was cut off goes on.'),
    bytes: z.int().min(0),
    sha256: z.string().describe('Of its bytes, in hex.'),
  })
  .meta({ id: 'ExportPart' });

export const exported = z
  .object({
    id: z.uuid(),
    state: z
      .enum(['queued', 'running', 'ready', 'failed', 'cancelled', 'expired'])
      .describe('`ready` files are kept for 7 days, then they are `expired`.'),
    format: z.enum(EXPORT_FORMATS),
    rows: count('Rows of the file; null until it is ready.'),
    free_rows: count('Those that the company had been given in the last 30 days as they are.'),
    tokens: count('What it cost.'),
    parts: z.array(part).describe('Empty unless it is ready.'),
    url: link.nullable().describe('All parts as one file; null unless it is ready.'),
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        details: z.record(z.string(), z.array(z.string())).optional(),
      })
      .optional()
      .describe('Why it failed; it cost nothing.'),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable().describe('Until when it can be read; null until it is ready.'),
  })
  .meta({ id: 'Export' });

export type Export = z.output<typeof exported>;

const EXPIRES = '2026-11-27T10:00:04.000Z';
const ADDRESS = 'http://127.0.0.1:3000/files/9dTnq0eC1m8kq2V6cXlaZ3sieCI6IjBiOGYzYzFlIiwibiI6MX0';

export const EXPORT_EXAMPLE: Export = {
  id: '0b8f3c1e-7a54-4c2b-9d3e-5f6a7b8c9d01',
  state: 'ready',
  format: 'csv',
  rows: 121,
  free_rows: 0,
  tokens: 121,
  parts: [
    {
      n: 1,
      url: ADDRESS,
      bytes: 37_619,
      sha256: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
    },
  ],
  url: ADDRESS,
  created_at: '2026-11-20T10:00:00.000Z',
  expires_at: EXPIRES,
};

export type ExportRow = NamedOrder & {
  id: string;
  state: Export['state'];
  rows: number | null;
  free_rows: number | null;
  tokens: number | null;
  error: ExportError | null;
  created_at: Date;
  expires_at: Date | null;
  /** From 0 to 1 while it is made. */
  progress: number | null;
};

/** The newest exports of a company. @param id null for all */
export function listExportRows(db: Db, companyId: string, id: string | null): Promise<ExportRow[]> {
  const values = { company_id: companyId, export_id: id, limit: MOST_LISTED };
  return db.run<ExportRow>('exports/list_exports', values, { subject: SUBJECT });
}

/** Far above what people look at; it bounds the list, which is not paged. */
export const MOST_LISTED = 100;

type PartRow = { export_id: string; n: number; size: number; sha256: string };
export type Reading = { db: Db; files: FileAddresses };

/** As the API tells them, with fresh addresses. */
export async function toExports(
  rows: readonly ExportRow[],
  { db, files }: Reading,
  { apiUrl }: Pick<CallContext, 'apiUrl'>,
): Promise<Export[]> {
  const ready = rows.filter(({ state }) => state === 'ready').map(({ id }) => id);
  const parts = ready.length === 0 ? [] : await db.run<PartRow>('exports/list_parts', { export_ids: ready });
  return Promise.all(
    rows.map(async ({ id, state, request, error, created_at, expires_at, rows, free_rows, tokens }) => {
      const urlOf = async (n: number) => apiUrl + (await files.pathOf(id, n, expires_at!));
      const own = parts.filter(({ export_id }) => export_id === id);
      return {
        id,
        state,
        format: request.format,
        rows,
        free_rows,
        tokens,
        parts: await Promise.all(
          own.map(async ({ n, size, sha256 }) => ({ n, url: await urlOf(n), bytes: size, sha256 })),
        ),
        url: own.length === 0 ? null : await urlOf(0),
        ...(error && { error }),
        created_at: created_at.toISOString(),
        expires_at: expires_at?.toISOString() ?? null,
      };
    }),
  );
}
