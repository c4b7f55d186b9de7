import { randomUUID } from 'node:crypto';
import {
  type ExportFormat,
  type ExportRequest,
  mostRows,
  needsOffer,
  rowsPerOf,
} from '../../../shared/exports/export-request.ts';
import { findExportMarket } from '../../../shared/exports/export-statements.ts';
import { MAIL_PRESETS, type MailPreset } from '../../../shared/exports/mail-layout.ts';
import { findListOf } from '../../../shared/exports/parcel-hits.ts';
import { isGrouped, type ListRecord, type RowsPer } from '../../../shared/lists/list-terms.ts';
import { count } from '../../../shared/model/figures.ts';
import { PRICES, priceText, tokensText } from '../../../shared/model/prices.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { checkInput } from '../../http/validate.ts';
import { createExport } from '../../v1/exports/export-endpoints.ts';
import { priceExport } from '../../v1/exports/price-export.ts';
import { NO_LIST } from '../../v1/lists/list-schema.ts';
import { Icon } from '../frame/icons.tsx';
import { Facts, Notice, Select } from '../frame/layout.tsx';
import type { Visit } from '../frame/visit.ts';
import { nameOfRowsPer, ROWS_PER, rowsPerIn } from '../lists/list-words.ts';
import { listCounties, readFilters } from '../parts/read-filters.ts';

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

type Kind = { label: string; note: string; format: ExportFormat; onlyLists?: true };

const KINDS = {
  mail: {
    label: 'Mail merge CSV',
    note: 'One row per letter, in title case, with names, mailing address, offer, and parcels',
    format: 'csv',
  },
  mail_xlsx: {
    label: 'Mail merge Excel',
    note: 'The same rows in a workbook',
    format: 'xlsx',
    onlyLists: true,
  },
  mail_pdf: {
    label: 'Letters, PDF',
    note: `A page per letter, ready to print, up to ${count(mostRows('pdf'))}`,
    format: 'pdf',
    onlyLists: true,
  },
  csv: { label: 'All fields, CSV', note: 'Every field of each parcel', format: 'csv' },
  xlsx: { label: 'All fields, Excel', note: 'The same fields in a workbook', format: 'xlsx' },
  kml: { label: 'Boundaries, KML', note: 'For Google Earth, up to 10,000', format: 'kml' },
  gpkg: { label: 'Boundaries, GeoPackage', note: 'For QGIS and ArcGIS', format: 'gpkg' },
  fgb: { label: 'Boundaries, FlatGeobuf', note: 'For QGIS and web maps', format: 'fgb' },
  geojsonl: {
    label: 'Boundaries, GeoJSON lines',
    note: 'One feature per line, for scripts',
    format: 'geojsonl',
  },
  geoparquet: { label: 'Boundaries, GeoParquet', note: 'For DuckDB and data teams', format: 'geoparquet' },
} as const satisfies Record<string, Kind>;

const MARKET_KINDS = {
  stats: {
    label: 'Statistics, CSV',
    note: `One row per lot size, with every statistic: ${tokensText(PRICES.exportMarkets.tokens)}`,
    format: 'csv',
  },
  stats_xlsx: { label: 'Statistics, Excel', note: 'The same rows in a workbook', format: 'xlsx' },
  comps: { label: 'Sales and listings, CSV', note: 'Price, acres, date, and address', format: 'csv' },
  comps_xlsx: { label: 'Sales and listings, Excel', note: 'The same rows in a workbook', format: 'xlsx' },
  comps_gpkg: {
    label: 'Sales and listings, GeoPackage',
    note: 'Points for QGIS and ArcGIS',
    format: 'gpkg',
  },
  comps_kml: {
    label: 'Sales and listings, KML',
    note: 'Points for Google Earth, up to 10,000',
    format: 'kml',
  },
} as const satisfies Record<string, Kind>;

const pick = <Name extends string>(kinds: Record<Name, Kind>, given: URLSearchParams, usual: Name): Name =>
  Object.hasOwn(kinds, given.get('kind') ?? '') ? (given.get('kind') as Name) : usual;

export function readOrder(given: URLSearchParams): { kind: string; request: ExportRequest } {
  const most = given.get('tokens');
  const limit = most !== null && { most_tokens: Number(most) };
  if (given.has('market')) {
    const kind = pick(MARKET_KINDS, given, 'stats');
    const [type = '', code = ''] = given.get('market')!.split(':');
    const asked = kind.startsWith('stats')
      ? { markets: [given.get('region_id') ?? ''] }
      : { comps: { [type === 'zip' ? 'zip' : 'fips']: code } };
    return { kind, request: { ...asked, format: MARKET_KINDS[kind].format, ...limit } };
  }
  const kind = pick(KINDS, given, 'mail');
  const listId = given.get('list_id');
  const asked = {
    ...(listId === null ? { filter: filterOf(given.get('filter')) } : { list_id: listId }),
    ...((listId === null || given.has('asked')) && rowsPerIn(given)),
    ...(listId !== null && given.has('only_new') && { status: 'new' as const }),
    ...(listId !== null && kind.startsWith('mail') && mailTerms(given, kind)),
  };
  const request: ExportRequest = {
    ...asked,
    format: KINDS[kind].format,
    ...(kind === 'mail' && listId === null && { columns: mailColumns(asked) }),
    ...limit,
  };
  return { kind, request };
}

/** Rows without a price stay out of a mail file unless the form says otherwise. */
function mailTerms(
  given: URLSearchParams,
  kind: string,
): Pick<ExportRequest, 'layout' | 'preset' | 'only_with_offer'> {
  const preset = given.get('preset') ?? '';
  return {
    layout: 'mail',
    ...(kind !== 'mail_pdf' && Object.hasOwn(MAIL_PRESETS, preset) && { preset: preset as MailPreset }),
    ...(given.has('asked') && { only_with_offer: given.has('only_with_offer') }),
  };
}

const mailColumns = (asked: Partial<RowsPer>): string[] => [
  ...MAIL_COLUMNS,
  ...(isGrouped(rowsPerOf(asked)) ? ['owner_parcels', 'owner_acres'] : []),
];

function filterOf(text: string | null): Record<string, unknown> {
  try {
    const filter: unknown = JSON.parse(text ?? '');
    if (typeof filter === 'object' && filter !== null) return filter as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw new PlatError('validation_error', "We couldn't read that search. Go back to the map and try again.");
}

type Subject = {
  title: string;
  hidden: Record<string, string>;
  list?: ListRecord;
  market?: true;
  /** The page that led here. */
  back: string;
};

async function subjectOf(visit: Visit, given: URLSearchParams, company: string): Promise<Subject> {
  const [listId, market] = [given.get('list_id'), given.get('market')];
  if (listId !== null) {
    const list = /^[0-9a-f-]{36}$/.test(listId)
      ? await findListOf(visit.deps.db, company, listId)
      : undefined;
    if (list === undefined) throw new PlatError('not_found', NO_LIST);
    const { id, name } = list;
    return { title: `Export “${name}”`, hidden: { list_id: id }, list, back: `/lists/${id}` };
  }
  if (market !== null) {
    const [type = '', code = ''] = market.split(':');
    const region = await findExportMarket(visit.deps.db, type, code);
    if (region === undefined) throw new PlatError('not_found', 'Market not found.');
    return {
      title: `Export ${region.label}`,
      hidden: { market, region_id: region.id },
      market: true,
      back: `/markets/${type === 'zip' ? 'zip/' : ''}${code}`,
    };
  }
  if (!given.has('filter')) {
    const { filters, fault } = await readFilters(visit, () => listCounties(visit));
    if (fault !== undefined) throw fault;
    return {
      title: 'Export this search',
      hidden: { filter: JSON.stringify(filters) },
      back: `/data${visit.url.search}`,
    };
  }
  return { title: 'Export this search', hidden: { filter: given.get('filter')! }, back: '/data' };
}

type KindProps = Pick<Subject, 'market' | 'list'> & { kind: string };

function KindChoice({ market, list, kind }: KindProps) {
  const kinds = Object.entries<Kind>(market ? MARKET_KINDS : KINDS);
  return (
    <fieldset class={market || list ? 'choices priced' : 'choices'}>
      <legend class="unseen">File type</legend>
      {kinds
        .filter(([, { onlyLists }]) => !onlyLists || list !== undefined)
        .map(([name, { label, note }]) => (
          <label>
            <input type="radio" name="kind" value={name} checked={name === kind} />
            <span>
              {label} <small>{note}</small>
            </span>
          </label>
        ))}
    </fieldset>
  );
}

type SwitchesProps = Pick<Subject, 'market' | 'list'> & { rowsPer: RowsPer; request: ExportRequest };

function Switches({ market, list, rowsPer, request }: SwitchesProps) {
  return (
    <>
      {!market && (
        <div class="switch">
          <label for="rows_per">
            One row per <small>owner or assemblage: its largest parcel, with totals</small>
          </label>
          <Select name="rows_per" options={ROWS_PER} given={nameOfRowsPer(rowsPer)} />
        </div>
      )}
      {list !== undefined && (
        <label class="switch">
          <span>Only rows with status New</span>
          <input type="checkbox" name="only_new" value="true" checked={request.status === 'new'} />
        </label>
      )}
      {request.layout === 'mail' ? (
        <>
          <label class="switch">
            <span>
              Only rows with a price <small>letters name only the parcels that have one</small>
            </span>
            <input type="checkbox" name="only_with_offer" value="true" checked={needsOffer(request)} />
          </label>
          {request.format === 'pdf' ? (
            <p>
              <a href={`/lists/${list!.id}/letter`}>Edit and preview the letter</a>
            </p>
          ) : (
            <div class="switch">
              <label for="preset">Column names for</label>
              <Select
                name="preset"
                id="preset"
                options={[['', 'Any mail house'], ...PRESETS]}
                given={request.preset}
              />
            </div>
          )}
        </>
      ) : (
        // Keeps the usual choice when the file type changes to a mail merge.
        list !== undefined && <input type="hidden" name="only_with_offer" value="true" />
      )}
    </>
  );
}

const PRESETS = Object.entries(MAIL_PRESETS).map(([name, { label }]) => [name, label] as const);

const TooManyRows = ({ most }: { most: number }) => (
  <Notice kind="warn">
    A file of this type can have up to {count(most)} rows. Export fewer rows, or choose another type.
  </Notice>
);

/** The form that orders an export of a search, list, or market, with its price. */
export async function orderForm(visit: Visit, company: string) {
  const { db } = visit.deps;
  const given = new URLSearchParams(visit.url.search);
  const { title, hidden, list, market, back } = await subjectOf(visit, given, company);
  for (const [name, value] of Object.entries(hidden)) given.set(name, value);
  const { kind, request } = readOrder(given);
  checkInput(createExport, { params: {}, query: {}, body: request });
  const at = { now: visit.deps.now(), work: visit.work };
  const price = await priceExport(db, company, { ...request, format: 'csv' }, at);
  const most = mostRows(request.format);
  const account = await visit.account;
  const left =
    account?.tokensAllowed == null ? null : Math.max(0, account.tokensAllowed - account.tokensUsed);
  return (
    <form method="post" action="/exports" id="order" class="stack card narrow-form" data-dialog-content>
      <h2>{title}</h2>
      {Object.entries({ ...hidden, asked: 'true', order: randomUUID(), tokens: String(price.tokens) }).map(
        ([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ),
      )}
      <KindChoice market={market} list={list} kind={kind} />
      <Switches market={market} list={list} rowsPer={rowsPerOf(request, list)} request={request} />
      <Facts
        of={[
          [request.markets ? 'Markets with statistics' : 'Rows', count(price.rows)],
          ['Already paid for (last 30 days)', price.free_rows === 0 ? null : count(price.free_rows)],
          ['Price', tokensText(price.tokens)],
          [
            'Tokens left',
            left === null
              ? null
              : `${count(left)} · ${count(Math.max(0, left - price.tokens))} after this export`,
          ],
        ]}
      />
      {price.rows > most && <TooManyRows most={most} />}
      <p>
        <small>
          {priceText(request.markets ? PRICES.exportMarkets : PRICES.exportRows)}. Plat keeps the file for 7
          days. The file doesn't include phone numbers.
          {list !== undefined && ' Owners marked “Do not mail” are excluded.'}
        </small>
      </p>
      <div class="buttons">
        <button type="submit" class="primary" disabled={price.rows === 0 || price.rows > most}>
          <Icon name="download" /> Export for {tokensText(price.tokens)}
        </button>
        <button type="submit" id="update" class="second" formmethod="get">
          Update price
        </button>
        <a href={back} data-close>
          Cancel
        </a>
      </div>
    </form>
  );
}
