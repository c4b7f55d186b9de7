import type { MetricUnit } from './market-metrics.ts';

/** A fact about a county that a feed of kind county_facts loads. */
export type CountyFact = { label: string; unit: MetricUnit; meaning: string };

/** A county with at least this many residents counts as a metropolitan county. */
export const METRO_POPULATION = 250_000;

/** Facts that buyers choose a market by. Pages, the docs, and rankings follow from these declarations. */
export const COUNTY_FACTS = {
  population: { label: 'Population', unit: '', meaning: 'residents' },
  population_growth: {
    label: 'Population growth a year',
    unit: '%',
    meaning: 'average growth a year between the two counts that are loaded',
  },
  household_income: { label: 'Median household income', unit: 'USD', meaning: 'a year, before taxes' },
  housing_permits: {
    label: 'Housing permits',
    unit: '',
    meaning: 'new housing units authorized in a year',
  },
  permits_per_1000: {
    label: 'Permits per 1,000 residents',
    unit: 'per 1,000',
    meaning: 'new housing units authorized in a year for each 1,000 residents',
  },
  metro_miles: {
    label: 'Distance to a metro county',
    unit: 'miles',
    meaning: `miles in a straight line to the center of the nearest county with at least ${METRO_POPULATION.toLocaleString('en-US')} residents`,
  },
} as const satisfies Record<string, CountyFact>;

export type CountyFactKey = keyof typeof COUNTY_FACTS;
export const COUNTY_FACT_KEYS = Object.keys(COUNTY_FACTS) as CountyFactKey[];
export const isCountyFact = (key: string): key is CountyFactKey => Object.hasOwn(COUNTY_FACTS, key);
