import type { Pool, QueryConfig } from 'pg';
import { areasOf } from '../../api/v1/market/comps-area.ts';
import { type CompsQuery, compsQuery } from '../../api/v1/market/comps-query.ts';
import { findComps } from '../../api/v1/market/list-comps.ts';
import { compose, sql } from '../../shared/base/db.ts';

/** Atlanta, where some 5,400 of 1,000,000 generated comps are within 50 km. */
export const COMPS_SEARCH = 'point=-84.4&point=33.75&dist=50000&order=ppa&page_size=100';

/** The statement with which the endpoint answers the first page of a search, once it has looked at the comps near the circle's rim. */
export async function statementOf(search: string, pool: Pool): Promise<QueryConfig> {
  const parameters = new URLSearchParams(search);
  const names = [...new Set(parameters.keys())];
  const query: CompsQuery = compsQuery.parse(
    Object.fromEntries(
      names.map(name => {
        const values = parameters.getAll(name);
        return [name, values.length > 1 ? values : values[0]];
      }),
    ),
  );
  let statement: QueryConfig | undefined;
  const recorder = {
    run: async (name: string, values: unknown[]) => (await pool.query(sql(name), values)).rows,
    async runComposed(name: string, fragments: Record<string, string>, values: unknown[]) {
      statement = { text: compose(name, fragments), values };
      return [{ total: 0, id: null }];
    },
  };
  const page = { size: query.page_size, number: 1, offset: 0, asOf: new Date(), link: () => '' };
  await findComps(query, areasOf(query), page, recorder as unknown as Parameters<typeof findComps>[3]);
  return statement!;
}
