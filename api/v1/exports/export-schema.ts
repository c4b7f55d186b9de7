import { z } from 'zod';
import type { ExportError } from '../../../shared/exports/end-export.ts';
import {
  columnNames,
  EXPORT_COLUMNS,
  isOverlayColumn,
  OVERLAY_COLUMN,
} from '../../../shared/exports/export-columns.ts';
import { type NamedOrder, SUBJECT } from '../../../shared/exports/export-name.ts';
import { EXPORT_FORMATS, EXPORT_LAYOUTS, kindOf } from '../../../shared/exports/export-request.ts';
import { MAIL_PRESET_NAMES } from '../../../shared/exports/mail-layout.ts';
import { ROW_STATUSES } from '../../../shared/lists/list-terms.ts';
import { compsRequest } from '../../../shared/market/comps-query.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { CREDITS, type FileAddresses } from '../../files/file-address.ts';
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

/** The query for comps/ as JSON, stored as sent. */
const sentComps = z
  .record(z.string(), z.unknown(), 'must be an object with the parameters of comps/')
  .superRefine((sent, context) => {
    const { error } = compsRequest.safeParse(sent, { reportInput: true });
    for (const issue of error?.issues ?? []) context.issues.push({ ...issue, input: sent } as never);
  })
  .meta({ example: { fips: '33019', status: ['SOLD'], acres_min: 5 } });

/** Small enough to fit in a 1 MB body. The US has 3,144 counties and about 33,000 ZIP codes. */
const MOST_MARKETS = 20_000;

const SOURCES = ['filter', 'list_id', 'comps', 'markets'] as const;

export const newExport = z
  .strictObject({
    filter: sentFilter
      .optional()
      .describe('Export the parcels that match this filter, with the fields of `properties/filter/`.'),
    list_id: z
      .uuid('must be the id of a list')
      .optional()
      .describe(
        "Export the rows of one of your company's lists, as the list shows them, without owners marked `do_not_mail`.",
      ),
    comps: sentComps
      .optional()
      .describe('Export comps that match these query parameters of `GET comps/`, without paging.'),
    markets: z
      .array(z.uuid('must be region ids'), 'must be a list of region ids')
      .min(1, 'must have at least one market')
      .max(MOST_MARKETS, `must have at most ${MOST_MARKETS} markets`)
      .refine(ids => new Set(ids).size === ids.length, 'must not repeat a market')
      .optional()
      .describe(
        'Export the market statistics of these regions, one line per acreage bucket. Use the ids from `GET regions/`. Only csv or xlsx.',
      ),
    format: z
      .enum(EXPORT_FORMATS, `must be one of ${EXPORT_FORMATS.join(', ')}`)
      .describe(
        'File format. `xlsx` and `csv` are tables. `pdf` is a page per letter, for `layout: mail`. `gpkg` (GeoPackage), `fgb` (FlatGeobuf), `geoparquet`, `geojsonl`, and `kml` have a shape for each row.',
      ),
    columns: z
      .array(
        z.union(
          [z.enum(EXPORT_COLUMNS), z.string().regex(OVERLAY_COLUMN)],
          'is not a column. docs/exports.md lists the columns',
        ),
      )
      .min(1, 'must have at least one column')
      .refine(names => new Set(names).size === names.length, 'must not repeat a column')
      .optional()
      .describe(
        `Columns, in the order of the file. Default: all. \`sources\` (data credits) is always the last column.\n\nWhich columns are available depends on what you export. Parcels: the fields of \`GET properties/{property_id}/\`, with \`longitude\` and \`latitude\` instead of \`url\`, \`point\`, \`row_version\`, \`steeper_percent\`, \`retired_at\`, \`shape\`, and \`timeline\`. Overlays: \`overlay.zoning\` (the largest class on the parcel), \`overlay.zoning.percent\` (its share), and \`overlay.zoning.distance_ft\`, with the name of any overlay in \`GET overlays/\`. With one row per owner or assemblage, also \`owner_parcels\` and \`owner_acres\`. Lists: also these two, \`status\`, \`status_at\`, \`tags\`, \`value\`, \`offer\`, \`offer_high\`, \`offer_source\`, \`offer_parcels\`, and \`needs_review\`. \`layout: mail\` has its own columns. Comps: the fields of \`GET comps/\` without \`photos\`. Markets: the region, \`bucket\`, \`listings\`, and the figures in \`data\`.`,
      ),
    boundary: z
      .boolean('must be true or false')
      .optional()
      .describe(
        'Whether to export the parcel boundary instead of a point.\n\nDefault: true for parcels, except in csv, which writes it as WKT. Not available for xlsx.',
      ),
    one_per_owner: z
      .boolean('must be true or false')
      .optional()
      .describe(
        "Whether to export only each owner's largest parcel, with `owner_parcels` and `owner_acres`. Default: the list's setting, or false.",
      ),
    one_per_assemblage: z
      .boolean('must be true or false')
      .optional()
      .describe(
        "Whether to export only each assemblage's largest parcel, with its `owner_parcels` and `owner_acres` in the export. Default: the list's setting, or false.",
      ),
    status: z
      .enum(ROW_STATUSES, `must be one of ${ROW_STATUSES.join(', ')}`)
      .optional()
      .describe('For a list: only rows with this status.'),
    layout: z
      .enum(EXPORT_LAYOUTS, `must be one of ${EXPORT_LAYOUTS.join(', ')}`)
      .optional()
      .describe(
        'For a list as csv, xlsx, or pdf: `mail` for one row per letter, in title case, with split names. Default: `plat`.',
      ),
    preset: z
      .enum(MAIL_PRESET_NAMES, `must be one of ${MAIL_PRESET_NAMES.join(', ')}`)
      .optional()
      .describe('For `layout: mail`: the mail house or CRM whose column names the file has.'),
    only_with_offer: z
      .boolean('must be true or false')
      .optional()
      .describe('For a list: only rows with a price. Default: true for `layout: mail`, otherwise false.'),
    most_tokens: z
      .int('must be a whole number')
      .min(0, 'must be 0 or more')
      .optional()
      .describe(
        'Maximum price in tokens. If the export would cost more, it fails and is free.\n\nMust be 25 or more, except for markets, because smaller counts are paid data.',
      ),
  })
  .superRefine((given, context) => {
    const add = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    const named = SOURCES.filter(name => given[name] !== undefined);
    if (named.length !== 1)
      for (const name of named.length === 0 ? SOURCES : named)
        add(name, `exactly one of ${SOURCES.join(', ')} is required`);
    const {
      format,
      boundary,
      columns,
      one_per_owner,
      one_per_assemblage,
      status,
      layout,
      preset,
      only_with_offer,
    } = given;
    const kind = kindOf(given);
    const isParcels = kind !== 'comps' && kind !== 'markets';
    if (format === 'xlsx' && boundary)
      add(
        'boundary',
        'does not fit in xlsx cells: omit it, or choose csv, or a format with shapes such as gpkg',
      );
    else if (boundary && !isParcels) add('boundary', 'is only for parcels: omit it');
    if (kind === 'markets' && format !== 'csv' && format !== 'xlsx')
      add('format', 'must be csv or xlsx: markets have no shapes');
    for (const [name, value] of Object.entries({ one_per_owner, one_per_assemblage }))
      if (value && !isParcels) add(name, 'is only for parcels: omit it');
    if (one_per_owner && one_per_assemblage) add('one_per_assemblage', "can't be used with one_per_owner");
    for (const [name, value] of Object.entries({ status, layout, only_with_offer }))
      if (value !== undefined && given.list_id === undefined) add(name, 'can be used only with list_id');
    if (layout === 'mail' && format !== 'csv' && format !== 'xlsx' && format !== 'pdf')
      add('format', 'must be csv, xlsx, or pdf: letters have no shapes');
    if (format === 'pdf' && layout !== 'mail') add('format', "can be pdf only with layout 'mail'");
    for (const [name, value] of Object.entries({ preset, columns }))
      if (format === 'pdf' && value !== undefined)
        add(name, "is not for pdf: the list's letter has the fields");
    if (layout === 'mail' && boundary) add('boundary', 'is not available for letters: omit it');
    if (preset !== undefined && layout !== 'mail') add('preset', "can be used only with layout 'mail'");
    if (preset !== undefined && columns !== undefined)
      add('columns', 'are named by the preset: omit one of them');
    const strange =
      columns?.filter(name => !columnNames(kind).includes(name) && !isOverlayColumn(kind, name)) ?? [];
    if (strange.length > 0)
      add(
        'columns',
        `${strange.join(', ')}: not available for this file. Available columns: ${columnNames(kind).join(', ')}`,
      );
  })
  .meta({ id: 'NewExport', example: REQUEST_EXAMPLE });

const count = (description: string) => z.int().min(0).nullable().describe(description);

const part = z
  .object({
    n: z.int().min(1).describe('Position of the part. Concatenate the parts in order to get the file.'),
    url: link.describe(
      'URL of the part. Requires no API key. Supports `Range`, so you can resume a download.',
    ),
    bytes: z.int().min(0).describe('Size of the part in bytes.'),
    sha256: z.string().describe('SHA-256 of the part, in hex.'),
  })
  .meta({ id: 'ExportPart' });

export const exported = z
  .object({
    id: z.uuid(),
    state: z
      .enum(['queued', 'running', 'ready', 'failed', 'cancelled', 'expired'])
      .describe('State of the export. A `ready` file is kept for 7 days and is then `expired`.'),
    format: z.enum(EXPORT_FORMATS),
    rows: count('Rows in the file. Null until it is ready.'),
    free_rows: count(
      'Free rows: those that your company paid for in an export or a list in the last 30 days and that have not changed since. Null until it is ready.',
    ),
    tokens: count('Price in tokens. Null until it is ready.'),
    parts: z.array(part).describe('Parts of the file. Empty unless it is ready.'),
    url: link.nullable().describe('URL of all parts as one file. Null unless it is ready.'),
    credits_url: link
      .nullable()
      .describe(
        'URL of a text file with the sources and terms of the data. Null unless the layout is `mail` and the file is ready.',
      ),
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        details: z.record(z.string(), z.array(z.string())).optional(),
      })
      .optional()
      .describe('Why the export failed. A failed export is free.'),
    created_at: z.iso.datetime(),
    expires_at: z.iso
      .datetime()
      .nullable()
      .describe('Time when the download expires. Null until it is ready.'),
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
  credits_url: null,
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
  /** From 0 to 1 while the export runs. */
  progress: number | null;
};

/** A company's newest exports. @param id null for all exports */
export function listExportRows(db: Db, companyId: string, id: string | null): Promise<ExportRow[]> {
  const values = { company_id: companyId, export_id: id, limit: MOST_LISTED };
  return db.run<ExportRow>('exports/list_exports', values, { subject: SUBJECT });
}

/** Larger than any list people page through. Limits the response, which is not paged. */
export const MOST_LISTED = 100;

type PartRow = { export_id: string; n: number; size: number; sha256: string };
export type Reading = { db: Db; files: FileAddresses };

/** Exports as the API returns them, with fresh URLs. */
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
        credits_url: own.length > 0 && kindOf(request) === 'mail' ? await urlOf(CREDITS) : null,
        ...(error && { error }),
        created_at: created_at.toISOString(),
        expires_at: expires_at?.toISOString() ?? null,
      };
    }),
  );
}
