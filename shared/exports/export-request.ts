import { z } from 'zod';
import { isGrouped, type RowStatus, type RowsPer } from '../lists/list-terms.ts';
import { PRICES, type Price } from '../model/prices.ts';
import type { JobDefinition } from '../platform/queue/jobs.ts';
import { RETRY } from '../platform/queue/jobs.ts';
import type { MailPreset } from './mail-layout.ts';

export const EXPORT_FORMATS = ['csv', 'xlsx', 'geojsonl', 'geoparquet', 'gpkg', 'fgb', 'kml', 'pdf'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const FILE_TYPES: Readonly<Record<ExportFormat, { extension: string; type: string }>> = {
  csv: { extension: 'csv', type: 'text/csv; charset=utf-8' },
  xlsx: { extension: 'xlsx', type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
  geojsonl: { extension: 'geojsonl', type: 'application/geo+json-seq' },
  geoparquet: { extension: 'parquet', type: 'application/vnd.apache.parquet' },
  gpkg: { extension: 'gpkg', type: 'application/geopackage+sqlite3' },
  fgb: { extension: 'fgb', type: 'application/flatgeobuf' },
  kml: { extension: 'kml', type: 'application/vnd.google-earth.kml+xml' },
  pdf: { extension: 'pdf', type: 'application/pdf' },
};

/**
 * An Excel sheet holds 1,048,576 rows. Google Earth shows about 10,000 shapes. Printers take about 5,000
 * letters at a time.
 */
export const mostRows = (format: ExportFormat): number =>
  format === 'kml' ? 10_000 : format === 'pdf' ? 5_000 : 1_000_000;

/** An order as it is stored: the original request, which the worker parses the same way the API did. */
export type ExportRequest = {
  /** Exactly one of `filter`, `list_id`, `comps`, and `markets`. */
  filter?: Record<string, unknown>;
  list_id?: string;
  comps?: Record<string, unknown>;
  markets?: string[];
  format: ExportFormat;
  columns?: string[];
  boundary?: boolean;
  /** For a list, either of the two overrides both of its settings. */
  one_per_owner?: boolean;
  one_per_assemblage?: boolean;
  /** Exports only list rows with this status. */
  status?: RowStatus;
  /** For lists. `mail` has one row per letter, in title case. Default: `plat`. */
  layout?: ExportLayout;
  /** Names the columns of a `mail` file for a mail house or a CRM. */
  preset?: MailPreset;
  /** Exports only list rows with a price. */
  only_with_offer?: boolean;
  most_tokens?: number;
};

export const EXPORT_LAYOUTS = ['plat', 'mail'] as const;
export type ExportLayout = (typeof EXPORT_LAYOUTS)[number];

export type ExportKind = 'filter' | 'owners' | 'list' | 'mail' | 'comps' | 'markets';

export const kindOf = (
  request: Pick<
    ExportRequest,
    'list_id' | 'comps' | 'markets' | 'one_per_owner' | 'one_per_assemblage' | 'layout'
  >,
): ExportKind => {
  if (request.comps !== undefined) return 'comps';
  if (request.markets !== undefined) return 'markets';
  if (request.list_id !== undefined) return request.layout === 'mail' ? 'mail' : 'list';
  return isGrouped(rowsPerOf(request)) ? 'owners' : 'filter';
};

/** What a row of the file is. @param list the settings to use unless the request has its own */
export function rowsPerOf(
  { one_per_owner, one_per_assemblage }: Pick<ExportRequest, 'one_per_owner' | 'one_per_assemblage'>,
  list: RowsPer = { one_per_owner: false, one_per_assemblage: false },
): RowsPer {
  if (one_per_owner === undefined && one_per_assemblage === undefined) return list;
  return { one_per_owner: one_per_owner ?? false, one_per_assemblage: one_per_assemblage ?? false };
}

/** Whether a list's file omits rows without a price. Letters need one unless the order says otherwise. */
export const needsOffer = ({ layout, only_with_offer }: ExportRequest): boolean =>
  only_with_offer ?? layout === 'mail';

/** The price of a row that the company hasn't paid for. A market has one price for all its rows. */
export const priceOf = (kind: ExportKind): Price =>
  kind === 'markets' ? PRICES.exportMarkets : PRICES.exportRows;

export const KEPT_DAYS = 7;

/** The metering key for exports. */
export const EXPORT_KEY = 'public_export';

const payload = z.strictObject({ export: z.uuid() });

/** People wait for exports, so they share the queue for new feeds, which runs several jobs at a time. */
export const makeExport: JobDefinition<z.infer<typeof payload>> = {
  name: 'export.make',
  queue: 'feeds',
  payload,
  key: ({ export: id }) => id,
  ...RETRY,
};
