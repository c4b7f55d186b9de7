import { LISTING_FIELD_NAMES } from '../../../../shared/model/listing-fields.ts';
import type { Sales } from '../../../feeds/feed.ts';
import type { PartCheck, RowNotes } from '../../engine/check-part.ts';
import type { MappedRow } from '../../engine/map-fields.ts';
import { wordKeys } from '../../engine/word-keys.ts';
import { compCounter } from './count-comps.ts';
import { MIN_OVERWRITTEN } from './listing-faults.ts';
import type { RecordedSale } from './map-recorded.ts';

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

/** For a sales file, also the comps, and parcels that share a word as their key. */
export const noteRecordedSales =
  ({ minPrice }: Sales) =>
  (check: PartCheck): RowNotes<RecordedSale> => {
    const { mapped, warnings } = noteListings(check);
    const comps = compCounter('listings', minPrice);
    const words = wordKeys();
    return {
      ...(mapped && { mapped }),
      used(row, sale) {
        comps.add(sale);
        words.note(row, sale.key);
      },
      warnings: doubtful => [...warnings!(doubtful), ...words.warnings(check.part)],
      finish: () => void Object.assign(check, countsOf(comps)),
    };
  };

/** The counts of comps, in the format of a check's part. */
export function countsOf(comps: ReturnType<typeof compCounter>): Pick<PartCheck, 'sales' | 'multiParcel'> {
  const { comps: sales, multiParcel } = comps.count();
  return { sales, multiParcel };
}

const [ID, STATUS, DAY, PRICE, ASKED] = (
  ['source_id', 'status', 'sold_date', 'sold_price', 'list_price'] as const
).map(name => LISTING_FIELD_NAMES.indexOf(name)) as [number, number, number, number, number];

/** The dates and prices of the sales with each id. */
function noteSale(values: MappedRow['values'], sales: Map<string, Set<string>>): void {
  if (values[STATUS] !== 'SOLD' || values[DAY] === null) return;
  const id = String(values[ID]);
  const own = sales.get(id) ?? new Set();
  sales.set(id, own.add(`${values[DAY]} ${values[PRICE]}`));
}

type Asked = { sales: number; equal: number };

function noteAsked(values: MappedRow['values'], asked: Asked): void {
  if (values[STATUS] !== 'SOLD' || !values[ASKED]) return;
  asked.sales++;
  if (values[ASKED] === values[PRICE]) asked.equal++;
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
