import type { SortHead } from '../frame/layout.tsx';
import { withParam } from '../frame/visit.ts';

/** A sortable column. At first, text is sorted from A to Z, and figures from highest to lowest. */
export type Column<Row> = {
  key: string;
  label: string;
  value: (row: Row) => number | string | null;
  first?: 'ascending';
};

/** Sorts by a column's key. A minus before the key reverses the order. Unknown values come last. */
export function sortRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: string): Row[] {
  const { value, first } = columnOf(columns, sort);
  const isAscending = (first === 'ascending') !== sort.startsWith('-');
  return rows.toSorted((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    const order = typeof x === 'string' ? x.localeCompare(String(y)) : x - Number(y);
    return isAscending ? order : -order;
  });
}

/** Column heads as links that sort by the column or reverse the order. */
export function sortHeads<Row>(url: URL, columns: readonly Column<Row>[], sort: string): SortHead[] {
  const sorted = columnOf(columns, sort);
  return columns.map(column => {
    const { key, label, first } = column;
    const isBackwards = sort.startsWith('-');
    const isAscending = (first === 'ascending') !== isBackwards;
    return {
      label,
      href: withParam(url, 'sort', column === sorted && !isBackwards ? `-${key}` : key),
      sort: column !== sorted ? undefined : isAscending ? 'ascending' : 'descending',
    };
  });
}

const columnOf = <Row>(columns: readonly Column<Row>[], sort: string): Column<Row> =>
  columns.find(({ key }) => key === sort.replace('-', '')) ?? columns[0]!;
