import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readCountyFacts } from '../../../shared/market/read-county-facts.ts';
import { checkFeed } from '../../../workers/ingest/check-feed.ts';
import { createTestDatabase } from '../../support/database.ts';
import { feedOf, ingest, newName } from '../../support/ingest.ts';
import { presetFixtures } from '../../unit/feeds/support.ts';

const db = await createTestDatabase();
const { folder, pool } = db;

const COLUMNS = {
  fips: 'fips',
  population: 'people',
  population_year: 'year',
  earlier_population: 'before',
  earlier_year: { value: 2020 },
};

function facts(name: string, lines: readonly string[], columns: object = COLUMNS) {
  writeFileSync(join(folder, `${name}.csv`), `${lines.join('\n')}\n`);
  const county_facts = { source: `${name}.csv`, format: 'csv', columns };
  return feedOf(folder, {
    name,
    kind: 'county_facts',
    county_facts,
    gates: { max_row_drop_percent: 100, max_reject_percent: 100 },
  });
}

const preset = (name: string, source: string) =>
  feedOf(presetFixtures, {
    name: newName(),
    kind: 'county_facts',
    preset: name,
    county_facts: { source, format: 'csv' },
  });

const valuesOf = async (fips: number) => (await readCountyFacts(pool, fips)).get(fips)!.values;

beforeEach(() => pool.query('truncate county_facts'));

describe('county facts', () => {
  test('are stored; counties that do not exist are rejected; counties that a feed drops are deleted', async () => {
    const name = newName();
    const head = 'fips,people,year,before';
    const first = await ingest(
      pool,
      facts(name, [head, '33019,44000,2024,40000', '33013,156000,2024,', '33999,1,2024,1', ',5,2024,5']),
    );
    expect(first).toMatchObject({ status: 'merged', counts: { rows: 2, new: 2, rejected: { bad_fips: 2 } } });
    const sullivan = await valuesOf(33_019);
    expect(sullivan).toMatchObject({ population: 44_000, household_income: null, metro_miles: null });
    expect(sullivan.population_growth).toBeCloseTo(100 * (1.1 ** 0.25 - 1), 9);
    expect((await valuesOf(33_013)).population_growth).toBeNull();

    const second = await ingest(pool, facts(name, [head, '33019,44100,2024,40000']));
    expect(second).toMatchObject({ status: 'merged', counts: { changed: 1, retired: 1 } });
    expect([...(await readCountyFacts(pool, null)).keys()]).toEqual([33_019]);
    expect(await ingest(pool, facts(name, [head, '33019,44100,2024,40000']))).toMatchObject({
      status: 'unchanged',
    });
  });

  test('of several feeds: the latest year wins, figure by figure', async () => {
    const head = 'fips,people,year,before';
    await ingest(pool, facts(newName(), [head, '33019,45000,2025,']));
    await ingest(pool, facts(newName(), [head, '33019,40000,2023,39000']));
    await ingest(
      pool,
      facts(newName(), ['fips,units,year', '33019,90,2023'], {
        fips: 'fips',
        housing_permits: 'units',
        permits_year: 'year',
      }),
    );
    const [found] = (await readCountyFacts(pool, 33_019)).values();
    expect(found!.values).toMatchObject({ population: 45_000, housing_permits: 90, permits_per_1000: 2 });
    expect(found!.years).toMatchObject({
      population: '2025',
      population_growth: '2020 to 2025',
      housing_permits: '2023',
    });
  });

  test('lead to the nearest county with 250,000 residents', async () => {
    const lines = [
      'fips,people,year,before',
      '33019,44000,2024,',
      '33011,430000,2024,',
      '25017,1650000,2024,',
      '33013,249999,2024,',
    ];
    await ingest(pool, facts(newName(), lines));
    const [sullivan] = (await readCountyFacts(pool, 33_019)).values();
    expect(sullivan!.metro).toBe(33_011);
    // From the middle of one county to the middle of the other, 72 km on a map.
    expect(sullivan!.values.metro_miles).toBeGreaterThan(38);
    expect(sullivan!.values.metro_miles).toBeLessThan(52);
    const all = await readCountyFacts(pool, null);
    expect(all.get(33_011)).toMatchObject({ metro: 33_011, values: { metro_miles: 0 } });
    expect(all.size).toBe(4);
  });

  test("the presets read the publishers' files", async () => {
    const population = preset('census_population', 'census-population.csv');
    const permits = preset('census_permits', 'census-permits.txt');
    const income = preset('census_income', 'census-income.dat');
    for (const [feed, rows] of [
      [population, 2],
      [permits, 2],
      [income, 1],
    ] as const)
      expect(await ingest(pool, feed)).toMatchObject({ status: 'merged', counts: { rows, rejected: {} } });
    expect(await valuesOf(33_019)).toMatchObject({
      population: 44_000,
      household_income: 75_423,
      housing_permits: 97,
    });
    expect((await valuesOf(33_013)).housing_permits).toBe(308 + 14 + 19 + 42);
  });

  test('a figure without its year, or a feed without figures, is refused', async () => {
    const refused = (columns: object) => () => facts(newName(), ['fips,n'], columns);
    expect(refused({ fips: 'fips', population: 'n' })).toThrow(/columns\.population_year/);
    expect(refused({ fips: 'fips' })).toThrow(/population/);
    expect(refused({ population: 'n', population_year: { value: 2024 } })).toThrow(/columns\.fips/);
    const { parts } = await checkFeed(
      facts(newName(), ['fips,people,year,before', '33019,1,2024,1', '1,1,2024,1']),
    );
    expect(parts).toMatchObject([{ part: 'county_facts', rows: 2, usable: 1 }]);
  });
});
