import { shortNameOf } from '../../../shared/exports/export-name.ts';
import {
  type ExportFormat,
  type ExportKind,
  KEPT_DAYS,
  kindOf,
} from '../../../shared/exports/export-request.ts';
import { count, moment } from '../../../shared/model/figures.ts';
import { tokensText } from '../../../shared/model/prices.ts';
import { pageKey } from '../../http/idempotency.ts';
import { cancelRunningExport, createExport, deleteExport } from '../../v1/exports/export-endpoints.ts';
import { type ExportRow, listExportRows } from '../../v1/exports/export-schema.ts';
import type { FormResult } from '../frame/forms.ts';
import { Icon } from '../frame/icons.tsx';
import { Empty, Grid, Notice } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, requireAccount, type Visit } from '../frame/visit.ts';
import { nameOfFilter } from '../searches/search-words.ts';
import { orderForm, readOrder } from './export-order.tsx';
import { versionOf } from './exports-events.ts';
import { failureWords, isOpen, madeExport, statusWords } from './made-export.tsx';

const WHAT: Record<ExportKind, string> = {
  filter: 'Search',
  owners: 'Search, one row per owner',
  list: 'List',
  mail: 'Mailing',
  comps: 'Sales and listings',
  markets: 'Statistics',
};

const FORMAT_WORDS: Record<ExportFormat, string> = {
  csv: 'CSV',
  xlsx: 'Excel',
  geojsonl: 'GeoJSON lines',
  geoparquet: 'GeoParquet',
  gpkg: 'GeoPackage',
  fgb: 'FlatGeobuf',
  kml: 'KML',
  pdf: 'PDF letters',
};

/** Reloads the page in browsers without JavaScript. */
const RELOAD = (
  <noscript>
    <meta http-equiv="refresh" content="3" />
  </noscript>
);

/** The company's exports. With a search, list, or market in the URL, also the form to order one. */
export const exportsPage: Page = {
  path: '/exports',
  access: 'app',
  show,
  actions: {
    async default(visit) {
      const canceled = visit.form.get('cancel');
      const removed = visit.form.get('remove');
      if (canceled !== null) await callEndpoint(visit, cancelRunningExport, { params: { id: canceled } });
      else if (removed !== null) await callEndpoint(visit, deleteExport, { params: { id: removed } });
      else {
        const { id } = await callEndpoint<{ id: string }>(visit, createExport, {
          body: readOrder(visit.form).request,
          idempotencyKey: orderKey(visit),
        });
        return { redirect: `/exports?made=${id}` };
      }
      return { redirect: '/exports' };
    },
  },
};

/** If the form is submitted twice, only one export is ordered. */
function orderKey({ form }: Visit): string | undefined {
  const order = form.get('order');
  return order === null ? undefined : pageKey(order);
}

async function show(visit: Visit, { bad }: FormResult) {
  const { companyId: company } = await requireAccount(visit);
  const rows = await listExportRows(visit.deps.db, company, null);
  const open = rows.some(isOpen);
  const made = visit.url.searchParams.get('made');
  const row = rows.find(({ id }) => id === made);
  const order = visit.url.search === '' || made !== null ? undefined : await orderForm(visit, company);
  return {
    title: 'Exports',
    body: (
      <>
        <header class="pagehead">
          <div>
            <h1>Exports</h1>
            <p>
              <small>Your company's files. Plat keeps each file for {KEPT_DAYS} days.</small>
            </p>
          </div>
        </header>
        {bad !== undefined && <Notice kind="bad">{bad}</Notice>}
        {order}
        {row && (await madeExport(visit, row, nameOf(row)))}
        <div id="progress" data-open={open ? '' : undefined} data-version={await versionOf(visit, company)}>
          {rows.length === 0 && !order && (
            <Empty icon="list" title="No files yet">
              Search on <a href="/data">the map</a>, or open a <a href="/lists">list</a> or a{' '}
              <a href="/markets">market</a>, then choose “Export”.
            </Empty>
          )}
          {rows.length > 0 && (
            <Grid
              name="Files"
              heads={['File', 'Status', 'Rows', 'Price', 'Created', '']}
              rows={await Promise.all(rows.map(row => lineOf(visit, row)))}
              cards
            />
          )}
        </div>
      </>
    ),
    assetNames: ['cards.css', 'results.css', 'lists.css', 'exports.mjs'],
    ...(open && { head: RELOAD }),
  };
}

/** The name of the list or market, or the search in words. */
function nameOf(row: ExportRow): string {
  if (row.request.filter !== undefined) return nameOfFilter(row.request.filter);
  return shortNameOf(row) || (row.request.list_id === undefined ? 'Sales and listings' : 'Deleted list');
}

async function lineOf(visit: Visit, row: ExportRow) {
  const { files } = visit.deps.resources;
  const { id, state, request, error } = row;
  return [
    <>
      <b>{nameOf(row)}</b>
      <small class="under">
        {WHAT[kindOf(request)]} · {FORMAT_WORDS[request.format]}
      </small>
    </>,
    state === 'ready' ? (
      <a class="button second small" href={await files.pathOf(id, 0, row.expires_at!)}>
        <Icon name="download" /> Download
      </a>
    ) : error ? (
      `${statusWords(row)}: ${failureWords(error)}`
    ) : (
      statusWords(row)
    ),
    row.rows === null ? '–' : count(row.rows),
    row.tokens === null ? '–' : tokensText(row.tokens),
    moment(row.created_at),
    <form method="post" action="/exports">
      <button type="submit" class="small quiet" name={isOpen(row) ? 'cancel' : 'remove'} value={id}>
        {isOpen(row) ? 'Cancel' : 'Delete'}
      </button>
    </form>,
  ];
}
