import { geodesicDistanceM } from '../geo/distance.ts';
import type { Position } from '../geo/geometry-types.ts';
import { addToGroup } from '../kernels/groups.ts';
import { type CountyFactKey, METRO_POPULATION } from '../model/county-facts.ts';
import type { Db } from '../platform/db.ts';
import { countyCenter } from '../regions/county-polygons.ts';

/** A county's facts with their years. Null or missing: not loaded. */
export type CountyFacts = {
  values: Record<CountyFactKey, number | null>;
  /** The year of a figure, or the years that it compares. Empty for a distance. */
  years: Record<CountyFactKey, string>;
  metro: number | null;
};

type FactsRow = {
  fips: number;
  population: number | null;
  population_year: number | null;
  earlier_population: number | null;
  earlier_year: number | null;
  household_income: number | null;
  income_year: number | null;
  housing_permits: number | null;
  permits_year: number | null;
};

/** The facts of one county, or of every county. If several feeds have a figure, the latest year wins. */
export async function readCountyFacts(db: Db, fips: number | null): Promise<Map<number, CountyFacts>> {
  const rows = await db.run<FactsRow>('market/read_county_facts', {
    fips,
    metro_population: METRO_POPULATION,
  });
  const counties = new Map<number, FactsRow[]>();
  for (const row of rows) addToGroup(counties, row.fips, row);
  const populations = [...counties].map(
    ([code, own]) => [code, latest(own, 'population', 'population_year')] as const,
  );
  const nearest = nearestMetro(
    populations.flatMap(([code, row]) => ((row?.population ?? 0) >= METRO_POPULATION ? [code] : [])),
  );
  return new Map(
    [...counties]
      .filter(([code]) => fips === null || code === fips)
      .map(([code, own]) => [code, factsOf(own, nearest(code))]),
  );
}

type Metro = { fips: number; miles: number } | null;

function factsOf(rows: readonly FactsRow[], metro: Metro): CountyFacts {
  const counted = latest(rows, 'population', 'population_year');
  const earlier = latest(rows, 'earlier_population', 'earlier_year');
  const earned = latest(rows, 'household_income', 'income_year');
  const permitted = latest(rows, 'housing_permits', 'permits_year');
  const population = counted?.population ?? null;
  const permits = permitted?.housing_permits ?? null;
  const [counts, permitYear] = [yearText(counted?.population_year), yearText(permitted?.permits_year)];
  return {
    values: {
      population,
      population_growth: growthOf(counted, earlier),
      household_income: earned?.household_income ?? null,
      housing_permits: permits,
      permits_per_1000: permits !== null && population ? (1000 * permits) / population : null,
      metro_miles: metro?.miles ?? null,
    },
    years: {
      population: counts,
      population_growth: `${yearText(earlier?.earlier_year)} to ${counts}`,
      household_income: yearText(earned?.income_year),
      housing_permits: permitYear,
      permits_per_1000: permitYear,
      metro_miles: '',
    },
    metro: metro?.fips ?? null,
  };
}

const yearText = (year: number | null | undefined): string => (year == null ? '' : String(year));

type Figure = 'population' | 'earlier_population' | 'household_income' | 'housing_permits';
type Year = 'population_year' | 'earlier_year' | 'income_year' | 'permits_year';

function latest(rows: readonly FactsRow[], figure: Figure, year: Year): FactsRow | undefined {
  return rows
    .filter(row => row[figure] !== null)
    .reduce<FactsRow | undefined>(
      (best, row) => ((row[year] ?? 0) > (best?.[year] ?? -1) ? row : best),
      undefined,
    );
}

/** Percent a year. */
function growthOf(counted: FactsRow | undefined, earlier: FactsRow | undefined): number | null {
  if (!counted?.population || !earlier?.earlier_population) return null;
  const years = (counted.population_year ?? 0) - (earlier.earlier_year ?? 0);
  return years > 0 ? 100 * ((counted.population / earlier.earlier_population) ** (1 / years) - 1) : null;
}

const METERS_PER_MILE = 1609.344;

/** The metropolitan county with the nearest center. A metropolitan county is its own nearest, at 0 miles. */
function nearestMetro(metros: readonly number[]): (fips: number) => Metro {
  const known = metros.flatMap(fips => {
    const center = countyCenter(fips);
    return center ? [{ fips, center, at: onSphere(center) }] : [];
  });
  return fips => {
    const from = countyCenter(fips);
    if (!from || known.length === 0) return null;
    const at = onSphere(from);
    const closeness = ({ at: to }: { at: Vector }) => at[0] * to[0] + at[1] * to[1] + at[2] * to[2];
    const nearest = known.reduce((best, metro) => (closeness(metro) > closeness(best) ? metro : best));
    const meters = geodesicDistanceM(from[0], from[1], nearest.center[0], nearest.center[1]);
    return { fips: nearest.fips, miles: meters / METERS_PER_MILE };
  };
}

type Vector = readonly [number, number, number];

function onSphere([lon, lat]: Position): Vector {
  const [x, y] = [(lon * Math.PI) / 180, (lat * Math.PI) / 180];
  return [Math.cos(y) * Math.cos(x), Math.cos(y) * Math.sin(x), Math.sin(y)];
}
