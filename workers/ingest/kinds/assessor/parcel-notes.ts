import { PARCEL_FIELD_NAMES } from '../../../../shared/model/parcel-fields.ts';
import type { Sales } from '../../../feeds/feed.ts';
import type { PartCheck, PricedSales, RowNotes } from '../../engine/check-part.ts';
import type { MappedRow } from '../../engine/map-fields.ts';
import { countClass, newClasses } from '../../engine/run-counts.ts';
import { wordKeys } from '../../engine/word-keys.ts';
import { MIN_SALE_PRICE } from '../listings/check-comps.ts';
import { compCounter } from '../listings/count-comps.ts';
import { countsOf } from '../listings/listing-notes.ts';
import { largeLots } from './large-lots.ts';
import type { MappedParcel } from './map-parcel.ts';

/** The dry run's notes on a roll: its sales, large lots, and parcels that share a word as their key. */
export const noteParcels =
  (sales: Sales | null) =>
  (check: PartCheck): RowNotes<MappedParcel> => {
    const { part } = check;
    const priced: PricedSales = { rows: 0, vacant: 0, codes: newClasses() };
    check.priced = priced;
    const comps = sales && compCounter('assessor', sales.minPrice);
    const large = largeLots();
    const words = wordKeys();
    return {
      mapped({ rowNo, geometry }, { values }) {
        notePriced(priced, values);
        if (geometry === null) large.note(rowNo, values);
      },
      used(row, parcel) {
        comps?.add(parcel);
        words.note(row, parcel.key);
      },
      warnings: doubtful => [...doubtful, ...large.warnings(part), ...words.warnings(part)],
      finish: () => void (comps && Object.assign(check, countsOf(comps))),
    };
  };

const [LAST_DAY, LAST_PRICE, VACANT, CODE] = (
  ['last_sale_date', 'last_sale_price', 'vacant', 'sale_price_code'] as const
).map(name => PARCEL_FIELD_NAMES.indexOf(name)) as [number, number, number, number];

function notePriced(priced: PricedSales, values: MappedRow['values']): void {
  const price = values[LAST_PRICE];
  if (values[LAST_DAY] === null || typeof price !== 'number' || price < MIN_SALE_PRICE) return;
  priced.rows++;
  if (values[VACANT] === true) priced.vacant++;
  if (values[CODE] !== null) countClass(priced.codes, String(values[CODE]));
}
