import { describe, expect, test } from 'vitest';
import { VALUE_EXAMPLE, VALUE_EXAMPLE_ID } from '../../../api/v1/examples/examples.ts';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { insertParcels, retireParcels } from '../../support/parcels.ts';
import { valueMarket } from '../../support/valuations.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const { key, accountId } = await newCaller(db);

type Comp = {
  id: string;
  status: string;
  price: number;
  lot_size: number;
  sold_date: string | null;
  weight: number;
  size_percent: number;
  time_percent: number;
  location_percent: number;
  asking_percent: number;
  land_percent: number | null;
};
type Value = Omit<typeof VALUE_EXAMPLE, 'explanation'> & {
  explanation: {
    low_price: number;
    high_price: number;
    out_of_support: boolean;
    neighborhood: { ppa: number; weight: number } | null;
    comps: Comp[];
  };
};

const get = (id: number | string, query = '') =>
  api.call(`/api/public/v1/properties/${id}/ai-comp-value/${query}`, { key });

async function explained(id: number): Promise<Value> {
  const { status, json, text } = await get(id, '?explain=true');
  expect(status, text).toBe(200);
  return json as Value;
}

const one = async (text: string): Promise<number> => (await db.pool.query<{ id: number }>(text)).rows[0]!.id;

test('the bundled sample answers as the documentation says, for 10 tokens', async () => {
  const { status, json, headers } = await get(VALUE_EXAMPLE_ID, '?explain=true');
  expect(status).toBe(200);
  expect(headers.get('x-tokens-used')).toBe('10');
  expect(json).toEqual(VALUE_EXAMPLE);
  expect(VALUE_EXAMPLE.explanation.out_of_support).toBe(false);
});

/**
 * Of the example, parcels with few comps, far from the others' sizes, with asking prices. @returns what comps
 * were moved by for their land
 */
async function addUp(): Promise<(number | null)[]> {
  const moves: (number | null)[] = [];
  const { rows } = await db.pool.query<{ id: number }>(
    `(select property_id as id from valuations order by length(comps), property_id limit 5)
     union (select property_id from valuations where out_of_support order by confidence_score limit 5)
     union (select property_id from valuations order by property_id limit 5)`,
  );
  const acres = new Map(
    (
      await db.pool.query<{ id: number; acres: number }>(
        'select property_id as id, effective_acres as acres from parcel_filters',
      )
    ).rows.map(row => [row.id, row.acres]),
  );
  for (const id of [VALUE_EXAMPLE_ID, ...rows.map(row => row.id)]) {
    const { explanation, ...value } = await explained(id);
    const { comps } = explanation;
    const factor = (comp: Comp) =>
      [
        comp.size_percent,
        comp.time_percent,
        comp.location_percent,
        comp.asking_percent,
        comp.land_percent ?? 0,
      ].reduce((product, percent) => product * (1 + percent / 100), 1);
    const sum = (of: (comp: Comp) => number) => comps.reduce((total, comp) => total + of(comp), 0);
    expect(sum(comp => comp.weight)).toBeCloseTo(1, 2);
    const byComps = sum(comp => comp.weight * Math.log((comp.price / comp.lot_size) * factor(comp)));
    const { ppa, weight } = explanation.neighborhood!;
    const adjusted = Math.exp((1 - weight) * byComps + weight * Math.log(ppa));
    // Percents have two decimals, weights four.
    expect(Math.abs(Math.log(adjusted / value.mean_adjusted_ppa))).toBeLessThan(0.01);
    expect(value.mean_adjusted_price / (value.mean_adjusted_ppa * acres.get(id)!)).toBeCloseTo(1, 4);
    expect(value.mean_price / (sum(comp => comp.price) / comps.length)).toBeCloseTo(1, 4);
    expect(value.mean_ppa / (sum(comp => comp.price / comp.lot_size) / comps.length)).toBeCloseTo(1, 4);
    expect(explanation.low_price).toBeLessThan(value.mean_adjusted_price);
    expect(explanation.high_price).toBeGreaterThan(value.mean_adjusted_price);
    for (const { status, asking_percent, sold_date } of comps)
      if (status === 'SOLD') expect([asking_percent, sold_date]).toEqual([0, expect.any(String)]);
    moves.push(...comps.map(comp => comp.land_percent));
  }
  return moves;
}

describe('the explanation', () => {
  test('adds up: adjusted prices per acre, by their weights, are the estimate', async () => {
    expect(new Set(await addUp())).toEqual(new Set([null]));
  });

  test('says when the parcel is out of support', async () => {
    const out = await one('select property_id as id from valuations where out_of_support order by 1 limit 1');
    expect((await explained(out)).explanation.out_of_support).toBe(true);
  });

  test('is there when asked for alone, and costs nothing more', async () => {
    const plain = await get(VALUE_EXAMPLE_ID);
    const { explanation: _, ...value } = VALUE_EXAMPLE;
    expect(plain.json).toEqual(value);
    expect((await get(VALUE_EXAMPLE_ID, '?explain=false')).json).toEqual(value);
    const before = (await usageOf(db, accountId)).tokens;
    expect((await get(VALUE_EXAMPLE_ID, '?explain=true')).headers.get('x-tokens-used')).toBe('10');
    expect((await usageOf(db, accountId)).tokens).toBe(before + 10);
  });

  test.each(['yes', '1', '', 'TRUE'])('asked for with explain=%s is a validation error', async text => {
    const { status, json, headers } = await get(VALUE_EXAMPLE_ID, `?explain=${text}`);
    expect(status).toBe(400);
    expect(headers.get('x-tokens-used')).toBe('0');
    expect(json).toMatchObject({
      error: { code: 'validation_error', details: { explain: [expect.any(String)] } },
    });
  });
});

describe('a parcel', () => {
  async function missing(id: number | string) {
    const before = await usageOf(db, accountId);
    const { status, json, headers } = await get(id, '?explain=true');
    expect([status, headers.get('x-tokens-used')]).toEqual([404, '0']);
    expect((await usageOf(db, accountId)).tokens).toBe(before.tokens);
    return (json as { error: { code: string; message: string } }).error;
  }

  test('that does not exist, or has left the roll, is not found', async () => {
    expect(await missing(3_301_999_999_999)).toMatchObject({ code: 'not_found' });
    const gone = await one('select min(property_id) as id from valuations');
    await explained(gone);
    await retireParcels(db.pool, [gone]);
    expect((await missing(gone)).message).toMatch(/roll/);
  });

  test('without relevant comps is not found', async () => {
    const bare = await one(
      `select property_id as id from parcels p
       where retired_at is null and not exists (select from valuations v where v.fips = p.fips and v.property_id = p.property_id) limit 1`,
    );
    expect((await missing(bare)).message).toMatch(/comps/);
  });

  test('in a county without sales returns the reason and a fix', async () => {
    const id = 3_300_500_000_001;
    await insertParcels(db.pool, [{ property_id: id, location: '(-722000000,430000000)', acres: 3 }]);
    const { message } = await missing(id);
    expect(message).toMatch(/\bCheshire \(33005\).*sales.*feed/);
  });

  test('with an invalid id is not found', async () => {
    expect((await get('x')).status).toBe(404);
  });
});

test('when sales show the effect of a flood zone, the explanation shows how it adjusted each comp', async () => {
  // Every other lot lies in one, but for every tenth, of which nothing is known.
  await db.pool.query(
    `update parcel_filters set flood_zone_percent = case when property_id % 10 = 0 then null else 100 * (property_id % 2) end
     where fips = 33019`,
  );
  await db.pool.query(
    `update listings l set price = l.price * 0.1 from parcels p
     where p.feed_id = l.feed_id and l.source_id like '33019/' || p.source_key || '/____-__-__' and p.property_id % 2 = 1`,
  );
  await valueMarket(db.pool);
  const moves = await addUp();
  const lowered = moves.filter(move => move !== null && move < -40);
  const raised = moves.filter(move => move !== null && move > 90);
  expect(
    [lowered.length, raised.length, moves.filter(move => move === null).length].every(count => count > 0),
  ).toBe(true);
});

test('a sale whose parcel was split since is not moved for the land that is left of it', async () => {
  const movedSale = (comp: Comp) => comp.land_percent !== null && comp.land_percent > 90;
  const { comps } = (await explained(VALUE_EXAMPLE_ID)).explanation;
  const { id, lot_size } = comps.find(movedSale)!;
  const shown = async (acres: number) => {
    // As the roll of a later year would say.
    await db.pool.query(
      `update parcel_filters f set effective_acres = $2 from comp_land c
       where c.listing_id = $1 and (f.fips, f.property_id) = (c.fips, c.property_id)`,
      [id, acres],
    );
    await valueMarket(db.pool);
    return (await explained(VALUE_EXAMPLE_ID)).explanation.comps.find(comp => comp.id === id);
  };
  expect(await shown(lot_size * 0.96)).toMatchObject({ lot_size, land_percent: expect.any(Number) });
  expect(await shown(lot_size * 0.5)).toMatchObject({ lot_size, land_percent: null });
});

test('a key without the scope of REST is refused', async () => {
  const other = await newCaller(db, {}, { scopes: ['api:mcp'] });
  const { status, headers } = await api.call(`/api/public/v1/properties/${VALUE_EXAMPLE_ID}/ai-comp-value/`, {
    key: other.key,
  });
  expect([status, headers.get('x-tokens-used')]).toEqual([403, '0']);
  expect((await api.call(`/api/public/v1/properties/${VALUE_EXAMPLE_ID}/ai-comp-value/`)).status).toBe(401);
});
