import type { PriceIndex } from '../../../shared/kernels/valuation/price-index.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { batch } from '../../http/batch.ts';

type Asked = {
  type: 'county' | 'zip';
  code: string;
  from: string | null;
  to: string | null;
  most: number;
};
type Month = { as_of: string; recorded: boolean; figures: Buffer };
export type ReadMonths = (asked: Asked) => Promise<Month[]>;

/** The stored months of regions, latest first. Concurrent reads share a statement. */
export function openHistory(db: Db): ReadMonths {
  return batch<Asked, Month[]>(async asked => {
    const keys = asked.map(one => JSON.stringify(one));
    const different = [...new Map(asked.map((one, i) => [keys[i]!, one])).entries()];
    const rows = await db.run<Month & { n: number }>('market/read_history', {
      types: different.map(([, { type }]) => type),
      codes: different.map(([, { code }]) => code),
      from: different.map(([, { from }]) => from),
      to: different.map(([, { to }]) => to),
      most: different.map(([, { most }]) => most),
    });
    const months = new Map(different.map(([key]): [string, Month[]] => [key, []]));
    for (const { n, ...month } of rows) months.get(different[n - 1]![0])!.push(month);
    return keys.map(key => months.get(key)!);
  });
}

export type ReadPriceIndex = (fips: string) => Promise<PriceIndex | null>;

export function openPriceIndexes(db: Db): ReadPriceIndex {
  return batch<string, PriceIndex | null>(async codes => {
    const rows = await db.run<{ fips: number; price_index: PriceIndex | null }>('market/list_price_indexes', {
      fips: [...new Set(codes.map(Number))],
    });
    const indexes = new Map(rows.map(row => [row.fips, row.price_index]));
    return codes.map(code => indexes.get(Number(code)) ?? null);
  });
}
