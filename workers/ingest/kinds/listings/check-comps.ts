import { noComps } from '../../../../shared/feeds/no-comps.ts';
import { stateOfFips } from '../../../../shared/regions/states.ts';
import type { PartCheck } from '../../engine/check-part.ts';

/** Below it prices are nominal. */
export const MIN_SALE_PRICE = 1_000;

const CODES_SHOWN = 8;

/** What the first rows' sales become, or would become. @param reads whether the feed makes comps of them */
export function compsOf(fips: number | null, reads: boolean, parts: readonly PartCheck[]): string[] {
  const total = (of: (part: PartCheck) => number) => parts.reduce((sum, part) => sum + of(part), 0);
  const [rows, comps] = [total(part => part.rows), total(part => part.sales)];
  const multiParcel = total(part => part.multiParcel);
  const said = reads ? [`${comps} of the first ${rows} rows become comps`] : [];
  if (multiParcel > 0) said.push(`${multiParcel} sales are of deeds over several parcels, and no comps`);
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
      ? `${priced} rows have a day and a price of at least $${MIN_SALE_PRICE}, ${vacant} of them of vacant land`
      : `${priced} rows would become comps with sales: { min_price: ${MIN_SALE_PRICE} }, ${vacant} of them of vacant land`,
    ...(codes.length > 0 ? [`of them by sale_price_code: ${codes.join(', ')}`] : []),
  ];
}
