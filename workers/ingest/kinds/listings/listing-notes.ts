import { LISTING_FIELD_NAMES } from '../../../../shared/model/listing-fields.ts';
import type { PartCheck, RowNotes } from '../../engine/check-part.ts';
import { type MappedRow, positionsOf } from '../../engine/map-fields.ts';
import type { compCounter } from './check-comps.ts';
import { MIN_OVERWRITTEN } from './map-listing.ts';

/** The dry run's notes on listings: ids that repeat, and list prices that equal the sale price. */
export function noteListings({ part }: PartCheck): RowNotes {
  const sales = new Map<string, Set<string>>();
  const asked = { sales: 0, equal: 0 };
  return {
    mapped(_row, { values }) {
      noteSale(values, sales);
      noteAsked(values, asked);
    },
    warnings: doubtful => [...repeatWarnings(part, sales), ...askedWarnings(part, asked), ...doubtful],
  };
}

export function countsOf(comps: ReturnType<typeof compCounter>): Pick<PartCheck, 'sales' | 'multiParcel'> {
  const { comps: sales, multiParcel } = comps.count();
  return { sales, multiParcel };
}

const AT = positionsOf(LISTING_FIELD_NAMES);

function noteSale(values: MappedRow['values'], sales: Map<string, Set<string>>): void {
  if (values[AT.status] !== 'SOLD' || values[AT.sold_date] === null) return;
  const id = String(values[AT.source_id]);
  const own = sales.get(id) ?? new Set();
  sales.set(id, own.add(`${values[AT.sold_date]} ${values[AT.sold_price]}`));
}

type Asked = { sales: number; equal: number };

function noteAsked(values: MappedRow['values'], asked: Asked): void {
  if (values[AT.status] !== 'SOLD' || !values[AT.list_price]) return;
  asked.sales++;
  if (values[AT.list_price] === values[AT.sold_price]) asked.equal++;
}

function askedWarnings(part: PartCheck['part'], { sales, equal }: Asked): string[] {
  if (sales < MIN_OVERWRITTEN || equal < sales) return [];
  return [
    `${part}: in all ${sales} sales, the list price equals the sale price, so the source probably overwrites it. Plat ignores these list prices.`,
  ];
}

function repeatWarnings(part: PartCheck['part'], sales: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const repeated = [...sales.values()].filter(({ size }) => size > 1);
  if (repeated.length === 0) return [];
  const count = repeated.reduce((sum, { size }) => sum + size, 0);
  return [
    `${part}: ${repeated.length} ids appear on ${count} sales with different dates or prices. Plat keeps each as its own sale, by id, date, and price.`,
  ];
}
