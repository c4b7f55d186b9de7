import { noComps } from '../../../../shared/feeds/no-comps.ts';
import { groupBy } from '../../../../shared/kernels/groups.ts';
import { LISTING_FIELD_NAMES } from '../../../../shared/model/listing-fields.ts';
import { PARCEL_FIELD_NAMES } from '../../../../shared/model/parcel-fields.ts';
import { MIN_SALE_PRICE } from '../../../../shared/model/sale-flags.ts';
import { stateOfFips } from '../../../../shared/regions/states.ts';
import type { PartCheck } from '../../engine/check-part.ts';
import { type MappedRow, positionsOf } from '../../engine/map-fields.ts';
import type { Deed, MappedSales } from './map-sale.ts';
import { DEED_DAYS } from './stage-sales.ts';

const CODES_SHOWN = 8;

/**
 * Describes how many of the first rows become comps, or would become comps.
 * @param reads whether the feed turns sales into comps
 */
export function compsOf(fips: number | null, reads: boolean, parts: readonly PartCheck[]): string[] {
  const total = (of: (part: PartCheck) => number) => parts.reduce((sum, part) => sum + of(part), 0);
  const [rows, comps] = [total(part => part.rows), total(part => part.sales)];
  const multiParcel = total(part => part.multiParcel);
  const said = reads ? [`${comps} of the first ${rows} rows become comps`] : [];
  if (multiParcel > 0)
    said.push(`${multiParcel} sales are on deeds that cover several parcels, so they don't become comps`);
  const state = fips === null ? '' : (stateOfFips(fips) ?? '');
  const priced = total(part => part.priced?.rows ?? 0);
  if (comps === 0 && (reads || priced === 0)) said.push(noComps(state, reads).message);
  if (priced > 0) said.push(...choices(parts, priced, reads));
  return said;
}

function choices(parts: readonly PartCheck[], priced: number, reads: boolean): string[] {
  const vacant = parts.reduce((sum, part) => sum + (part.priced?.vacant ?? 0), 0);
  const codes = parts
    .flatMap(part => Object.entries(part.priced?.codes ?? {}))
    .sort((a, b) => b[1] - a[1])
    .slice(0, CODES_SHOWN)
    .map(([code, count]) => `${code} ${count}`);
  return [
    reads
      ? `${priced} rows have a date and a price of $${MIN_SALE_PRICE} or more; ${vacant} of them are vacant land`
      : `${priced} rows would become comps with sales: { min_price: ${MIN_SALE_PRICE} }; ${vacant} of them are vacant land`,
    ...(codes.length > 0 ? [`those rows by sale_price_code: ${codes.join(', ')}`] : []),
  ];
}

type Sale = Deed & { parcel: string; day: string; price: number; seller: string; qualifies: boolean };

/** A row in a roll or a sales file. */
type RowOfSales = Partial<MappedSales> & Pick<MappedRow, 'values'> & { key?: string; fips?: number };

const OF_ROLL = positionsOf(PARCEL_FIELD_NAMES);
const OF_FILE = positionsOf(LISTING_FIELD_NAMES);

/** Counts the comps in a source's first rows, using the rules of `market/list_sales`. */
export function compCounter(kind: 'assessor' | 'listings', minPrice: number) {
  const sales = new Map<string, Sale>();

  /**
   * If a parcel has several sales on one day, keeps a qualified sale if there is one, and among those the
   * most expensive.
   */
  function note(sale: Sale): void {
    const id = `${sale.parcel} ${sale.day}`;
    const known = sales.get(id);
    const rank = ({ qualifies, price }: Sale) => (qualifies ? 1e15 : 0) + price;
    if (known === undefined || rank(sale) > rank(known)) sales.set(id, sale);
  }

  return {
    add({ values, key, fips, sale = false, deed, prior }: RowOfSales): void {
      if (key === undefined || deed === undefined) return;
      const isRoll = kind === 'assessor';
      const day = isRoll ? values[OF_ROLL.last_sale_date] : values[OF_FILE.sold_date];
      const price = Number((isRoll ? values[OF_ROLL.last_sale_price] : values[OF_FILE.sold_price]) ?? 0);
      const seller = isRoll ? String(values[OF_ROLL.seller_name] ?? '').toUpperCase() : '';
      const parcel = `${fips}/${key}`;
      if (typeof day === 'string') note({ ...deed, parcel, day, price, seller, qualifies: sale });
      for (const { date, ...earlier } of prior ?? [])
        if (date !== day) note({ ...earlier, parcel, day: date, seller: '', qualifies: true });
    },
    count(): { comps: number; multiParcel: number } {
      const all = [...sales.values()];
      const multiParcelSales = new Set([...ofOneDeed(all), ...ofOnePrice(all, minPrice)]);
      const qualified = all.filter(({ qualifies }) => qualifies);
      const multiParcel = qualified.filter(
        sale => sale.several === true || multiParcelSales.has(sale),
      ).length;
      return { comps: qualified.length - multiParcel, multiParcel };
    },
  };
}

const DAY_MS = 86_400_000;

function ofOneDeed(sales: readonly Sale[]): Sale[] {
  const deeds = groupBy(
    sales.filter(({ book }) => book !== null),
    ({ book, parcel }) => `${parcel.split('/')[0]}/${book}`,
  );
  return [...deeds.values()].flatMap(deed => {
    const ordered = deed.toSorted((a, b) => (a.day < b.day ? -1 : 1));
    const groups: Sale[][] = [];
    for (const sale of ordered) {
      const last = groups.at(-1);
      const gap = last ? (Date.parse(sale.day) - Date.parse(last.at(-1)!.day)) / DAY_MS : Infinity;
      if (last && gap <= DEED_DAYS) last.push(sale);
      else groups.push([sale]);
    }
    return groups.filter(isOfSeveral).flat();
  });
}

function ofOnePrice(sales: readonly Sale[], minPrice: number): Sale[] {
  const groups = groupBy(
    sales.filter(({ several, price }) => several === null && price >= minPrice),
    ({ parcel, day, price, seller }) => `${parcel.split('/')[0]} ${day} ${price} ${seller}`,
  );
  return [...groups.values()].filter(isOfSeveral).flat();
}

const isOfSeveral = (sales: readonly Sale[]): boolean => new Set(sales.map(({ parcel }) => parcel)).size > 1;
