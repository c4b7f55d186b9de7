import { count } from '../../../shared/domain/figures.ts';
import type { ExportFormat, ExportRequest } from '../../../shared/exports/export-request.ts';
import { createExport, deleteExport } from '../../v1/exports/export-endpoints.ts';
import { companyOf, type ExportRow, listExportRows } from '../../v1/exports/export-schema.ts';
import { priceExport } from '../../v1/exports/price-export.ts';
import { followed } from '../admin/job-progress.tsx';
import { Empty, Field, Grid, Notice, narrowPage, Select } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { answerForm, callEndpoint, requireAccount, type Visit } from '../frame/visit.ts';
import { listCounties, readFilters } from '../map/read-filters.ts';

/** What a mail house asks for. */
const MAIL_COLUMNS = [
  'owner_name',
  'owner_name_2',
  'mail_address',
  'mail_city',
  'mail_state',
  'mail_zip',
  'apn',
  'effective_acres',
  'situs_address',
  'situs_city',
  'situs_zip',
  'property_id',
];

/** What the form offers: a format, and which columns. */
const KINDS: Record<string, { label: string; format: ExportFormat; columns?: string[] }> = {
  mail: { label: 'Mail merge CSV: owner, mailing address, APN, acres', format: 'csv', columns: MAIL_COLUMNS },
  csv: { label: 'Everything, CSV', format: 'csv' },
  xlsx: { label: 'Everything, Excel', format: 'xlsx' },
  kml: { label: 'Boundaries for Google Earth, KML', format: 'kml' },
  geojsonl: { label: 'Boundaries for QGIS, GeoJSON lines', format: 'geojsonl' },
  geoparquet: { label: 'Boundaries for DuckDB and data teams, GeoParquet', format: 'geoparquet' },
};

const tokens = (price: number): string => `${count(price)} ${price === 1 ? 'token' : 'tokens'}`;

const WORDS: Record<ExportRow['state'], string> = {
  queued: 'waits for its turn',
  running: 'is made',
  ready: 'ready',
  failed: 'failed',
  cancelled: 'canceled',
  expired: 'no longer kept',
};

/** The company's files; with a search in the address, also the form that orders one of it. */
export const exportsPage: Page = {
  path: '/exports',
  access: 'app',
  get: visit => show(visit),
  post: visit =>
    answerForm(
      async () => {
        const id = visit.form.get('remove');
        if (id !== null) await callEndpoint(visit, deleteExport, { params: { id } });
        else await callEndpoint(visit, createExport, { body: orderOf(visit.form) });
        return { redirect: '/exports' };
      },
      reason => show(visit, reason),
    ),
};

function orderOf(form: URLSearchParams): ExportRequest {
  const { format, columns } = KINDS[form.get('kind') ?? ''] ?? KINDS.csv!;
  const filter = JSON.parse(form.get('filter') ?? '{}') as ExportRequest['filter'];
  return { filter, format, ...(columns && { columns }), most_tokens: Number(form.get('tokens')) };
}

async function show(visit: Visit, reason?: string) {
  const { id } = await requireAccount(visit);
  const rows = await listExportRows(visit.deps.resources.database, id, null);
  const open = rows.some(({ state }) => state === 'queued' || state === 'running');
  const search = visit.url.search === '' ? undefined : await orderForm(visit, id);
  const content = (
    <>
      {reason !== undefined && <Notice kind="bad">{reason}</Notice>}
      {search}
      {search && rows.length > 0 && <h2>Files of the company</h2>}
      <div id="progress" data-open={open ? '' : undefined}>
        {rows.length === 0 && !search && (
          <Empty icon="list" title="No files yet">
            Search on <a href="/data">the map</a>, then export what it finds.
          </Empty>
        )}
        {rows.length > 0 && (
          <Grid
            name="Files"
            heads={['Ordered', 'Format', 'Rows', 'Price', 'State', '']}
            rows={await Promise.all(rows.map(row => lineOf(visit, row)))}
          />
        )}
      </div>
    </>
  );
  return { ...narrowPage('Exports', content), ...followed(open) };
}

async function lineOf(visit: Visit, row: ExportRow) {
  const { files } = visit.deps.resources;
  const { id, state, request, error, progress } = row;
  const isOpen = state === 'queued' || state === 'running';
  return [
    row.created_at.toISOString().slice(0, 16).replace('T', ' '),
    request.format,
    row.rows === null ? '–' : count(row.rows),
    row.tokens === null ? '–' : tokens(row.tokens),
    state === 'ready' ? (
      <a href={await files.pathOf(id, 0, row.expires_at!)}>Download</a>
    ) : (
      `${WORDS[state]}${progress === null ? '' : `, ${Math.round(100 * progress)} %`}${error ? `: ${error.message}` : ''}`
    ),
    <form method="post" action="/exports">
      <button type="submit" class="small quiet" name="remove" value={id}>
        {isOpen ? 'Cancel' : 'Delete'}
      </button>
    </form>,
  ];
}

/** What the search finds as a file, told with its price before it is ordered. */
async function orderForm(visit: Visit, accountId: string) {
  const { database } = visit.deps.resources;
  const { filters, fault } = await readFilters(visit, () => listCounties(visit));
  if (fault !== undefined) throw fault;
  const company = await companyOf(database, accountId);
  const order: ExportRequest = { filter: filters, format: 'csv' };
  const price = await priceExport(database, company, order, visit.deps.now());
  return (
    <form method="post" action="/exports" class="stack">
      <h2>Export {count(price.rows)} parcels</h2>
      <input type="hidden" name="filter" value={JSON.stringify(filters)} />
      <input type="hidden" name="tokens" value={price.tokens} />
      <Field name="kind" label="What for">
        <Select
          name="kind"
          options={Object.entries(KINDS).map(([kind, { label }]) => [kind, label])}
          given="mail"
        />
      </Field>
      <p>
        1 token a row
        {price.free_rows > 0 && `; ${count(price.free_rows)} were given in the last 30 days and are free`}.
        Files are kept for 7 days and have no telephone numbers.
      </p>
      <div class="buttons">
        <button type="submit" class="primary">
          Export for {tokens(price.tokens)}
        </button>
        <a href={`/data${visit.url.search}`}>Back to the map</a>
      </div>
    </form>
  );
}
