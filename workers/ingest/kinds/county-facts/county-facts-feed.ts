import { z } from 'zod';
import { columnsOf, skipWhereSchema } from '../../../feeds/column-schema.ts';
import type { FeedBase, MappedInput } from '../../../feeds/feed.ts';
import { mappedInput, rowFields } from '../../../feeds/feed-columns.ts';
import type { Report } from '../../../feeds/locate-faults.ts';
import type { Preset } from '../../../feeds/presets.ts';
import type { TargetSpec } from '../../../feeds/values/value-parser.ts';
import { INPUT_PROPERTIES } from '../../../formats/format-input.ts';
import type { FileOf } from '../../engine/feed-kind.ts';

/** Each figure has the year that it is for. */
export const FIGURES = {
  population: 'population_year',
  earlier_population: 'earlier_year',
  household_income: 'income_year',
  housing_permits: 'permits_year',
} as const;

const FIELDS: Record<string, TargetSpec> = {
  fips: {
    type: 'text',
    doc: "The county's FIPS code, 5 digits, or its Census GEO_ID, such as 0500000US33019. Rows with the GEO_ID of another kind of area are skipped; required",
  },
  population: { type: 'money', doc: 'Residents' },
  population_year: { type: 'year', doc: 'Year of the population' },
  earlier_population: { type: 'money', doc: 'Residents in an earlier year, from which growth is computed' },
  earlier_year: { type: 'year', doc: 'Year of the earlier population' },
  household_income: { type: 'money', doc: 'Median household income, in dollars a year' },
  income_year: { type: 'year', doc: 'Year of the income' },
  housing_permits: { type: 'money', doc: 'New housing units authorized in a year' },
  permits_year: { type: 'year', doc: 'Year of the housing permits' },
};
export const COUNTY_FACT_ROWS = rowFields(FIELDS);

const countyFactsSchema = z.strictObject({
  ...INPUT_PROPERTIES,
  columns: columnsOf(COUNTY_FACT_ROWS.names, FIELDS)
    .describe('Fields of a county, and where they come from.')
    .optional(),
  skip_where: skipWhereSchema,
});

export const COUNTY_FACTS_SECTIONS = {
  county_facts: countyFactsSchema.describe('Kind county_facts: the source and its columns.'),
};

export type CountyFactsInput = MappedInput<string>;
export type CountyFactsFeed = FeedBase & { kind: 'county_facts'; county_facts: CountyFactsInput };

export function resolveCountyFacts(
  { county_facts: section }: FileOf<typeof COUNTY_FACTS_SECTIONS>,
  base: FeedBase,
  report: Report,
  preset: Preset | null,
): CountyFactsFeed {
  const input = mappedInput<string>({ ...preset?.input, ...section! }, preset);
  const { columns } = input;
  if (!columns.fips) report('county_facts', 'columns.fips is required');
  if (!Object.keys(FIGURES).some(figure => columns[figure]))
    report('county_facts', `columns needs at least one of ${Object.keys(FIGURES).join(', ')}`);
  for (const [figure, year] of Object.entries(FIGURES))
    if (columns[figure] && !columns[year])
      report('county_facts', `columns.${year} is required with columns.${figure}`);
  return { ...base, kind: 'county_facts', county_facts: input };
}
