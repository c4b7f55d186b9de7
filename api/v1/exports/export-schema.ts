import { z } from 'zod';
import type { ExportError } from '../../../shared/exports/end-export.ts';
import { EXPORT_COLUMNS } from '../../../shared/exports/export-columns.ts';
import { EXPORT_FORMATS, type ExportRequest } from '../../../shared/exports/export-request.ts';
import { filterSchema } from '../../../shared/parcels/filter/filter-schema.ts';
import type { FileAddresses } from '../../files/file-address.ts';
import type { Database } from '../../http/database.ts';
import { type CallContext, link } from '../../http/endpoint.ts';
import { FILTER_EXAMPLE } from '../examples/examples.ts';

const REQUEST_EXAMPLE = {
  filter: FILTER_EXAMPLE.request,
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

/** Checked as the body of filter/, and kept as it was sent: the worker reads it again. */
const sentFilter = z
  .record(z.string(), z.unknown(), 'must be an object: a body of properties/filter/')
  .superRefine((sent, context) => {
    const { error } = filterSchema.safeParse(sent, { reportInput: true });
    for (const issue of error?.issues ?? []) context.issues.push({ ...issue, input: sent } as never);
  })
  .meta({ override: { $ref: '#/components/schemas/ParcelFilter' } as never });

export const newExport = z
  .strictObject({
    filter: sentFilter,
    format: z
      .enum(EXPORT_FORMATS, `must be one of ${EXPORT_FORMATS.join(', ')}`)
      .describe('`xlsx` and `csv` are tables; the others have a shape for each row.'),
    columns: z
      .array(z.enum(EXPORT_COLUMNS, 'is no column: GET properties/{property_id}/ describes them'))
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
    most_tokens: z
      .int('must be a whole number')
      .min(0, 'must be 0 or more')
      .optional()
      .describe('The export fails, and costs nothing, where it would cost more.'),
  })
  .superRefine(({ format, boundary }, context) => {
    if (format === 'xlsx' && boundary)
      context.addIssue({
        code: 'custom',
        path: ['boundary'],
        message: 'is too long for the cells of xlsx: leave it out, or choose csv, geojsonl or geoparquet',
      });
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
  rows: 1_204,
  free_rows: 180,
  tokens: 1_024,
  parts: [
    {
      n: 1,
      url: ADDRESS,
      bytes: 163_418,
      sha256: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
    },
  ],
  url: ADDRESS,
  created_at: '2026-11-20T10:00:00.000Z',
  expires_at: EXPIRES,
};

export type ExportRow = {
  id: string;
  state: Export['state'];
  request: ExportRequest;
  rows: number | null;
  free_rows: number | null;
  tokens: number | null;
  error: ExportError | null;
  created_at: Date;
  expires_at: Date | null;
  /** From 0 to 1 while it is made. */
  progress: number | null;
};

export async function companyOf({ run }: Pick<Database, 'run'>, accountId: string): Promise<string> {
  const [company] = await run<{ company_id: string }>('accounts/read_company', { account_id: accountId });
  return company!.company_id;
}

/** The newest exports of the caller's company. @param id null for all */
export async function listExportRows(
  { run }: Pick<Database, 'run'>,
  accountId: string,
  id: string | null,
): Promise<ExportRow[]> {
  const company_id = await companyOf({ run }, accountId);
  return run<ExportRow>('exports/list_exports', {
    company_id,
    export_id: id,
    limit: MOST_LISTED,
  });
}

/** Far above what people look at; it bounds the list, which is not paged. */
export const MOST_LISTED = 100;

type PartRow = { export_id: string; n: number; size: number; sha256: string };
type Reading = { database: Pick<Database, 'run'>; files: FileAddresses };

/** As the API tells them, with fresh addresses. */
export async function toExports(
  rows: readonly ExportRow[],
  { database, files }: Reading,
  { apiUrl }: Pick<CallContext, 'apiUrl'>,
): Promise<Export[]> {
  const ready = rows.filter(({ state }) => state === 'ready').map(({ id }) => id);
  const parts =
    ready.length === 0 ? [] : await database.run<PartRow>('exports/list_parts', { export_ids: ready });
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
