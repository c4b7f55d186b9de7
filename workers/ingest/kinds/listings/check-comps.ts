import { noComps } from '../../../../shared/feeds/no-comps.ts';
import { stateOfFips } from '../../../../shared/regions/states.ts';
import type { PartCheck } from '../../engine/check-part.ts';

/** Prices below this are nominal. */
export const MIN_SALE_PRICE = 1_000;

const CODES_SHOWN = 8;

/**
 * How many sales of a feed's first rows become comps. For a roll without comps, what each choice would give.
 * @param reads whether the feed turns its sales into comps
 */
export function compsOf(fips: number | null, reads: boolean, parts: readonly PartCheck[]): string[] {
  const total = (of: (part: PartCheck) => number) => parts.reduce((sum, part) => sum + of(part), 0);
  const [rows, comps] = [total(part => part.rows), total(part => part.sales)];
  const multiParcel = total(part => part.multiParcel);
  const said = reads ? [`${comps} of the first ${rows} rows become comps`] : [];
  if (multiParcel > 0)
    said.push(`${multiParcel} sales are on deeds over several parcels, so they don't become comps`);
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
