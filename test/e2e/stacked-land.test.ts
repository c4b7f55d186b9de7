import { beforeAll, expect, test } from 'vitest';
import type { Portfolio } from '../../api/v1/parcels/owner-portfolio.ts';
import { newCaller, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { exportFile, joinParts } from '../support/exports.ts';
import { insertRegions } from '../support/ingest.ts';
import { listsOf } from '../support/lists.ts';
import { insertParcels, square } from '../support/parcels.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase();
const api = await startTestApi(db, { pages: true });

const FIRST = 23_009e8;
const ADA = '11111111-1111-1111-1111-111111111111';
const BEA = '22222222-2222-2222-2222-222222222222';
const TOWERS = square(-68.4, 44.5);
const SHARED = square(-68.5, 44.6);
const POINT = '(-684000000,446000000)';

/** Some parcels of one owner that differ by their ids alone. */
const several = (from: number, parcels: number, each: object) =>
  Array.from({ length: parcels }, (_, n) => ({ property_id: FIRST + from + n, ...each }));

beforeAll(async () => {
  await insertRegions(db.pool, [{ type: 'county', code: '23009', state: 'ME', fips: 23009 }]);
  await insertParcels(db.pool, [
    // The roll states no acres, so each unit has all of its boundary.
    ...several(1, 20, {
      owner_key: ADA,
      boundary: TOWERS,
      calculated_acres: 3,
      owner_occupied: true,
    }),
    // Some units are in another class of owner, on the map and for the owner's portfolio.
    ...several(21, 5, { owner_key: BEA, boundary: TOWERS, calculated_acres: 3, corporate_owner: true }),
    // The roll states each unit's share.
    ...several(31, 20, { owner_key: ADA, boundary: SHARED, calculated_acres: 3, acres: 0.1 }),
    ...several(51, 1, { owner_key: ADA, boundary: square(-68.6, 44.7), acres: 10 }),
    // Geocoded to one point: nothing says that they share land.
    ...several(61, 2, { owner_key: ADA, acres: 1, location: POINT, extent: `${POINT},${POINT}` }),
  ]);
});

const ADA_ACRES = 3 + 2 + 10 + 2;

test('a portfolio, a list, and a file of owners count shared land once', async () => {
  const { key } = await newCaller(db);
  const portfolio = await api.call(`/api/public/v1/properties/${FIRST + 1}/owner-portfolio/`, { key });
  expect((portfolio.json as Portfolio).total_acres).toBe(ADA_ACRES);

  const { make, add, rows } = listsOf(api, key);
  const { id } = await make({ one_per_owner: true });
  await add(id, { filter: { county: '23009' } });
  const { results } = await rows(id);
  expect(results.map(row => [row.owner_parcels, row.owner_acres])).toEqual([
    [5, 3],
    [43, ADA_ACRES],
  ]);

  const made = await exportFile(db, api, key, {
    filter: { county: '23009' },
    one_per_owner: true,
    format: 'geojsonl',
  });
  const lines = (await joinParts(made)).toString().trimEnd().split('\n');
  const sums = lines
    .map(line => JSON.parse(line).properties)
    .map(row => [row.owner_parcels, row.owner_acres]);
  expect(sums).toEqual([
    [5, 3],
    [43, ADA_ACRES],
  ]);
});

test.each(['', '&color=owner', '&color=acres'])(
  "the map's total counts shared land once, whoever owns the units%s",
  async color => {
    const ana = visitor(api);
    await ana.signIn(await newUser(db));
    const { text } = await ana.open(`/data?county=23009&acres_min=0.01${color}`);
    expect(/<output id="count">(\d+)/.exec(text)![1]).toBe('48');
    expect(/([\d,]+) acres<\/small>/.exec(text)![1]).toBe(String(ADA_ACRES));
  },
);
