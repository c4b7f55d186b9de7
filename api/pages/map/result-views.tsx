import { count } from '../../../shared/model/figures.ts';
import { Icon } from '../frame/icons.tsx';
import { Select } from '../frame/layout.tsx';
import { withParam } from '../frame/visit.ts';
import { FILTER_BY_NAME, type Filters } from '../parts/read-filters.ts';

/** Parcels per page. The last one is the API's maximum. */
const PAGE_SIZES = [25, 100, 500];

export const sizeOf = (url: URL): number => Number(url.searchParams.get('page_size') ?? PAGE_SIZES[0]);
const before = (url: URL): number => (Number(url.searchParams.get('page') ?? 1) - 1) * sizeOf(url);

/** Links to the parcels on a page. `at` is the position among all results. */
export function openerOf(url: URL): (id: number, at: number) => string {
  const opens = withParam(new URL(withParam(url, 'at'), url), 'parcel', '');
  const first = before(url) + 1;
  return (id, at) => `${opens}${id}&at=${first + at}`;
}

export const isTable = (url: URL): boolean => url.searchParams.get('view') === 'table';

const FORM = 'filters';

const ORDER_WORDS: Readonly<Record<string, string>> = {
  property_id: 'Parcel number',
  acres: 'Fewest acres',
  '-acres': 'Most acres',
  value: 'Lowest estimated value',
  '-value': 'Highest estimated value',
  value_per_acre: 'Lowest $/acre',
  '-value_per_acre': 'Highest $/acre',
  last_sale_date: 'Oldest sale',
  '-last_sale_date': 'Newest sale',
  buildable_acres: 'Fewest buildable acres',
  '-buildable_acres': 'Most buildable acres',
};

/** Rolls start with rows that have no land, such as utilities. They come last in this order. */
export const DEFAULT_ORDER = '-acres';

/** A search in the order of the page, which isn't the API's default. */
export const inOrder = (filters: Filters): Filters => ({ order: DEFAULT_ORDER, ...filters });

const ORDERS = FILTER_BY_NAME.get('order')!.values!.map((value): [string, string] => {
  const order = String(value);
  // The default order doesn't need a parameter.
  return [order === DEFAULT_ORDER ? '' : order, ORDER_WORDS[order]!];
});

/** The sort order, as a field in the filter form. Tables are sorted by their column headers instead. */
export function SortField({ url }: { url: URL }) {
  const order = url.searchParams.get('order') ?? undefined;
  if (isTable(url)) return <input type="hidden" name="order" value={order} form={FORM} />;
  return (
    <>
      <Select id="sort" name="order" aria-label="Sort by" options={ORDERS} given={order ?? ''} form={FORM} />
      <noscript>
        <button type="submit" form={FORM} class="second small">
          Sort
        </button>
      </noscript>
    </>
  );
}

export function Views({ url }: { url: URL }) {
  const table = isTable(url);
  return (
    <nav class="seg" aria-label="View">
      <a href={withParam(url, 'view')} aria-current={table ? undefined : 'true'}>
        <Icon name="list" />
        List
      </a>
      <a href={withParam(url, 'view', 'table')} aria-current={table ? 'true' : undefined}>
        <Icon name="table" />
        Table
      </a>
    </nav>
  );
}

export function Pages({ url, total }: { url: URL; total: number }) {
  const page = Number(url.searchParams.get('page') ?? 1);
  const size = sizeOf(url);
  if (total <= PAGE_SIZES[0]! && page === 1) return null;
  const first = before(url) + 1;
  const firstPage = new URL(withParam(url, 'page'), url);
  return (
    <nav class="pages" aria-label="Pages">
      <span>
        {first > total ? '0' : `${count(first)} – ${count(Math.min(page * size, total))}`} of {count(total)}
      </span>
      {page > 1 && <a href={withParam(url, 'page', String(page - 1))}>Previous</a>}
      {page * size < total && <a href={withParam(url, 'page', String(page + 1))}>Next</a>}
      <span class="sizes">
        Per page:
        {PAGE_SIZES.map(each => (
          <a
            href={withParam(firstPage, 'page_size', String(each))}
            aria-current={each === size ? 'true' : undefined}
          >
            {each}
          </a>
        ))}
      </span>
    </nav>
  );
}
