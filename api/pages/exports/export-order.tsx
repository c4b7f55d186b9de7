import { randomUUID } from 'node:crypto';
import { PlatError } from '../../../shared/base/errors.ts';
import { count } from '../../../shared/domain/figures.ts';
import { type ExportFormat, type ExportRequest, kindOf } from '../../../shared/exports/export-request.ts';
import { findListOf } from '../../../shared/exports/parcel-hits.ts';
import type { ListRecord } from '../../../shared/lists/list-terms.ts';
import { checkInput } from '../../http/validate.ts';
import { createExport } from '../../v1/exports/export-endpoints.ts';
import { priceExport } from '../../v1/exports/price-export.ts';
import { NO_LIST } from '../../v1/lists/list-schema.ts';
import { Icon } from '../frame/icons.tsx';
import { Facts } from '../frame/layout.tsx';
import type { Visit } from '../frame/visit.ts';
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

type Kind = { label: string; note: string; format: ExportFormat };

/** What the form offers. */
const KINDS = {
  mail: {
    label: 'Mail merge CSV',
    note: 'Owner, mailing address, parcel, acres, a list’s offer: for any mail house',
    format: 'csv',
  },
  csv: { label: 'Everything, CSV', note: 'All fields of each parcel', format: 'csv' },
  xlsx: { label: 'Everything, Excel', note: 'The same as a workbook', format: 'xlsx' },
  kml: { label: 'Boundaries, KML', note: 'For Google Earth, at most 10,000', format: 'kml' },
  geojsonl: { label: 'Boundaries, GeoJSON lines', note: 'For QGIS', format: 'geojsonl' },
  geoparquet: { label: 'Boundaries, GeoParquet', note: 'For DuckDB and data teams', format: 'geoparquet' },
} as const satisfies Record<string, Kind>;

export const tokens = (price: number): string => `${count(price)} ${price === 1 ? 'token' : 'tokens'}`;

/** What the form says, in an address or as it was sent. */
export function readOrder(given: URLSearchParams): { kind: keyof typeof KINDS; request: ExportRequest } {
  const named = given.get('kind') ?? '';
  const kind = Object.hasOwn(KINDS, named) ? (named as keyof typeof KINDS) : 'mail';
  const listId = given.get('list_id');
  const asked = {
    ...(listId === null ? { filter: filterOf(given.get('filter')) } : { list_id: listId }),
    // What is not ticked is not sent.
    ...((listId === null || given.has('asked')) && { one_per_owner: given.has('one_per_owner') }),
    ...(listId !== null && given.has('only_new') && { status: 'new' as const }),
  };
  const { format } = KINDS[kind];
  const most = given.get('tokens');
  const request: ExportRequest = {
    ...asked,
    format,
    ...(kind === 'mail' && { columns: mailColumns(asked) }),
    ...(most !== null && { most_tokens: Number(most) }),
  };
  return { kind, request };
}

function mailColumns(asked: Pick<ExportRequest, 'list_id' | 'one_per_owner'>): string[] {
  const kind = kindOf(asked);
  return [
    ...MAIL_COLUMNS,
    ...(kind === 'list' ? ['offer', 'needs_review', 'status', 'tags'] : []),
    ...(kind === 'filter' ? [] : ['owner_parcels', 'owner_acres']),
  ];
}

function filterOf(text: string | null): Record<string, unknown> {
  try {
    const filter: unknown = JSON.parse(text ?? '');
    if (typeof filter === 'object' && filter !== null) return filter as Record<string, unknown>;
  } catch {
    // As one that is no object.
  }
  throw new PlatError('validation_error', 'The search could not be read: go back to the map and try again.');
}

/** What a search finds, or a list has, as a file, told with its price before it is ordered. */
export async function orderForm(visit: Visit, company: string) {
  const { database } = visit.deps.resources;
  const given = new URLSearchParams(visit.url.search);
  const list = await listOf(visit, company);
  if (list === undefined && !given.has('filter')) {
    const { filters, fault } = await readFilters(visit, () => listCounties(visit));
    if (fault !== undefined) throw fault;
    given.set('filter', JSON.stringify(filters));
  }
  const { kind, request } = readOrder(given);
  checkInput(createExport, { params: {}, query: {}, body: request });
  const { one_per_owner: onePerOwner = list?.one_per_owner ?? false, status } = request;
  const price = await priceExport(database, company, { ...request, format: 'csv' }, visit.deps.now());
  const account = await visit.account;
  const left =
    account?.tokensAllowed == null ? null : Math.max(0, account.tokensAllowed - account.tokensUsed);
  return (
    <form method="post" action="/exports" id="order" class="stack card">
      <h2>{list === undefined ? 'Export this search' : `Export “${list.name}”`}</h2>
      {list === undefined ? (
        <input type="hidden" name="filter" value={given.get('filter')!} />
      ) : (
        <input type="hidden" name="list_id" value={list.id} />
      )}
      <input type="hidden" name="asked" value="true" />
      <input type="hidden" name="order" value={randomUUID()} />
      <fieldset class="choices">
        <legend class="unseen">What for</legend>
        {Object.entries(KINDS).map(([name, { label, note }]) => (
          <label>
            <input type="radio" name="kind" value={name} checked={name === kind} />
            <span>
              {label} <small>{note}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <label class="switch">
        <span>
          One row an owner <small>the largest parcel, with what the owner has in all</small>
        </span>
        <input type="checkbox" name="one_per_owner" value="true" checked={onePerOwner} />
      </label>
      {list !== undefined && (
        <label class="switch">
          <span>Only rows that are new</span>
          <input type="checkbox" name="only_new" value="true" checked={status === 'new'} />
        </label>
      )}
      <Facts
        of={[
          ['Rows', count(price.rows)],
          ['Given in the last 30 days, free', price.free_rows === 0 ? null : count(price.free_rows)],
          ['Price', tokens(price.tokens)],
          [
            'You have',
            left === null ? null : `${count(left)} · ${count(Math.max(0, left - price.tokens))} after`,
          ],
        ]}
      />
      <p>
        <small>
          1 token a row. Kept for 7 days. No telephone numbers
          {list !== undefined && '; owners who want no letters are left out'}.
        </small>
      </p>
      <input type="hidden" name="tokens" value={price.tokens} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={price.rows === 0}>
          <Icon name="download" /> Export for {tokens(price.tokens)}
        </button>
        <button type="submit" id="update" class="second" formmethod="get">
          Update the price
        </button>
        <a href={list === undefined ? `/data${searchOf(visit)}` : `/lists/${list.id}`}>Cancel</a>
      </div>
    </form>
  );
}

/** @throws PlatError `not_found` for another company's */
async function listOf({ url, deps }: Visit, company: string): Promise<ListRecord | undefined> {
  const id = url.searchParams.get('list_id');
  if (id === null) return undefined;
  const list = /^[0-9a-f-]{36}$/.test(id)
    ? await findListOf(deps.resources.database.run, company, id)
    : undefined;
  if (list === undefined) throw new PlatError('not_found', NO_LIST);
  return list;
}

/** The search itself, where the address has nothing else. */
const searchOf = ({ url }: Visit): string => (url.searchParams.has('filter') ? '' : url.search);
