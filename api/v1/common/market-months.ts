import { batch } from '../../http/batch.ts';
import type { Database } from '../../http/database.ts';

type Asked = {
  type: 'county' | 'zip';
  code: string;
  from: string | null;
  to: string | null;
  most: number;
};
type Month = { as_of: string; recorded: boolean; figures: Buffer };
export type ReadMonths = (asked: Asked) => Promise<Month[]>;

/** The stored months of regions, the latest first; those asked for together come in one statement. */
export function openHistory(database: Database): ReadMonths {
  return batch<Asked, Month[]>(async asked => {
    const rows = await database.run<Month & { n: number }>('market/read_history', {
      types: asked.map(({ type }) => type),
      codes: asked.map(({ code }) => code),
      from: asked.map(({ from }) => from),
      to: asked.map(({ to }) => to),
      most: asked.map(({ most }) => most),
    });
    const months = asked.map((): Month[] => []);
    for (const { n, ...month } of rows) months[n - 1]!.push(month);
    return months;
  });
}
