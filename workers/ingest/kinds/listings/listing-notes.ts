import { LISTING_FIELD_NAMES } from '../../../../shared/model/listing-fields.ts';
import type { PartCheck, RowNotes } from '../../engine/check-part.ts';
import type { MappedRow } from '../../engine/map-fields.ts';
import type { compCounter } from './check-comps.ts';
import { MIN_OVERWRITTEN } from './map-listing.ts';

/** What the dry run notes of listings: ids that repeat, and asking prices that equal the sale's. */
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

/** The counts of comps, as a part of a check has them. */
export function countsOf(comps: ReturnType<typeof compCounter>): Pick<PartCheck, 'sales' | 'multiParcel'> {
  const { comps: sales, multiParcel } = comps.count();
  return { sales, multiParcel };
}

const [ID, STATUS, DAY, PRICE, ASKED] = (
  ['source_id', 'status', 'sold_date', 'sold_price', 'list_price'] as const
).map(name => LISTING_FIELD_NAMES.indexOf(name)) as [number, number, number, number, number];

/** The days and prices of the sales of each id. */
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
    `${part}: in all ${sales} sales the asking price equals the sale price, so the source probably overwrites it. A run leaves these asking prices out.`,
  ];
}

function repeatWarnings(part: PartCheck['part'], sales: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const repeated = [...sales.values()].filter(({ size }) => size > 1);
  if (repeated.length === 0) return [];
  const count = repeated.reduce((sum, { size }) => sum + size, 0);
  return [
    `${part}: ${repeated.length} ids stand on ${count} sales of different days or prices; each is kept, by its id, day and price.`,
  ];
}
