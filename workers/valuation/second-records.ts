import { type Client, sql } from '../../shared/db.ts';
import { isSameSale } from '../../shared/kernels/valuation/twins.ts';

type Pair = {
  id: string;
  price: number;
} & Record<'acres' | 'day' | 'lon' | 'lat' | 'otherAcres' | 'otherDay' | 'otherLon' | 'otherLat', number>;

/**
 * Which of some sales that came after the fit another feed has told before. Unlike in a fit, a record may stand for several of
 * one feed: of a developer's lots, alike in price and size, those that no other feed tells count from the next fit on.
 */
export async function secondOf(client: Client, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await client.query<Pair>(sql('valuation/list_second_records'), [ids]);
  const same = rows.filter(({ price, otherAcres, otherDay, otherLon, otherLat, ...record }) =>
    isSameSale(
      { price, ...record },
      { price, acres: otherAcres, day: otherDay, lon: otherLon, lat: otherLat },
    ),
  );
  return new Set(same.map(({ id }) => id));
}
