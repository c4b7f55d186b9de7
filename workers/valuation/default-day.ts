import { type Queryable, sql } from '../../shared/db.ts';

/** The day as of which parcels are valued when nobody names one: 'YYYY-MM-DD'. */
export async function defaultDay(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ day: string }>(sql('valuation/get_as_of'));
  return rows[0]!.day;
}
