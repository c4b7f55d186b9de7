import { listAllFigures, listCountyZips, listFigures } from '../../../shared/market/market-statements.ts';
import { type CountyFacts, readCountyFacts } from '../../../shared/market/read-county-facts.ts';
import { ACRE_BUCKETS, type BucketLabel } from '../../../shared/model/buckets.ts';
import { COUNTY_FACT_KEYS, type CountyFactKey, isCountyFact } from '../../../shared/model/county-facts.ts';
import { type FigureKey, METRIC_KEYS } from '../../../shared/model/market-metrics.ts';
import { allCounties, fiveDigits } from '../../../shared/regions/counties.ts';
import { STATES } from '../../../shared/regions/states.ts';
import { bucketFigures, USUAL_BUCKET } from '../../v1/market/market-figures.ts';
import type { Visit } from '../frame/visit.ts';
import { carriedFigure, type RankedKey, wordsOf } from './market-words.ts';
import type { Column } from './sort-table.ts';

export type Row = {
  /** The county's FIPS code, or the ZIP code. */
  code: string;
  name: string;
  state: string;
  county_name: string;
  /** Null if it is based on too few lots. */
  value: number | null;
  /** Null without lots of the chosen size, like the sales and the sell-through. */
  active: number | null;
  sold: number | null;
  str: number | null;
};

const DEFAULT_METRIC = 'Median Sold PPA';
const RANKED_FIGURES: readonly FigureKey[] = [
  ...METRIC_KEYS,
  'months_of_supply',
  'sale_to_list',
  'median_ppa_change_12mo',
];

/** Only counties have facts. */
export const rankedKeys = (type: Question['type']): readonly RankedKey[] =>
  type === 'zip' ? RANKED_FIGURES : [...RANKED_FIGURES, ...COUNTY_FACT_KEYS];

export type Question = {
  bucket: BucketLabel;
  metric: RankedKey;
  type: 'county' | 'zip';
  /** Undefined: all. */
  state: string | undefined;
  county: string | undefined;
};

export function questionOf({ url: { searchParams } }: Visit): Question {
  const param = (name: string) => searchParams.get(name);
  const type = param('type') === 'zip' ? 'zip' : 'county';
  return {
    bucket: ACRE_BUCKETS.find(({ label }) => label === param('bucket'))?.label ?? USUAL_BUCKET,
    metric: rankedKeys(type).find(key => key === param('metric')) ?? DEFAULT_METRIC,
    type,
    state: STATES.find(({ code }) => code === param('state'))?.code,
    county: /^\d{5}$/.test(param('county') ?? '') ? param('county')! : undefined,
  };
}

/** Rows for all counties, or for the ZIP codes in a state or county. */
export async function readRows(
  { deps: { resources } }: Visit,
  { bucket, metric }: Question,
  { type, state, county }: Pick<Question, 'type'> & Partial<Question>,
): Promise<Row[]> {
  const { db } = resources;
  const rows =
    county === undefined
      ? await listAllFigures(db, type, state)
      : await listFigures(db, await listCountyZips(db, Number(county)));
  const named = rows.toSorted((a, b) => a.state.localeCompare(b.state) || a.name.localeCompare(b.name));
  const ranked = named.flatMap(({ code, name, state: of, county_name, figures }): Row[] => {
    const known = figures && bucketFigures(figures, bucket);
    if (!known) return [];
    const value = isCountyFact(metric) ? null : carriedFigure(metric, known);
    const [active, sold] = [known.of('Active') ?? 0, known.n];
    return [{ code, name, state: of, county_name, value, active, sold, str: known.of('1yr STR') }];
  });
  return isCountyFact(metric) ? withFacts(ranked, await readCountyFacts(db, null), metric) : ranked;
}

/** Every county that has the fact, with or without lots of the chosen size. */
function withFacts(
  ranked: readonly Row[],
  facts: ReadonlyMap<number, CountyFacts>,
  metric: CountyFactKey,
): Row[] {
  const byCode = new Map(ranked.map(row => [Number(row.code), row]));
  return allCounties().flatMap(({ fips, name, state }): Row[] => {
    const value = facts.get(fips)?.values[metric] ?? null;
    if (value === null) return [];
    const without = {
      code: fiveDigits(fips),
      name,
      state,
      county_name: name,
      active: null,
      sold: null,
      str: null,
    };
    return [{ ...(byCode.get(fips) ?? without), value }];
  });
}

export const columnsOf = ({ metric, type }: Question): Column<Row>[] => {
  const all: Column<Row>[] = [
    { key: 'value', label: wordsOf(metric).label, value: row => row.value },
    {
      key: 'name',
      label: type === 'zip' ? 'ZIP code' : 'County',
      value: row => (type === 'zip' ? row.code : `${row.name}, ${row.state}`),
      first: 'ascending',
    },
    { key: 'sold', label: 'Sold', value: row => row.sold },
    { key: 'str', label: 'Sell-through', value: row => row.str },
  ];
  const shownAlready: Partial<Record<RankedKey, string>> = { 'Sold: 1yr': 'sold', '1yr STR': 'str' };
  return all.filter(({ key }) => key !== shownAlready[metric]);
};

/** All counties for the map, and the requested regions for the list. */
export async function readMarkets(visit: Visit) {
  const question = questionOf(visit);
  const counties = await readRows(visit, question, { type: 'county' });
  const states = [...new Set(counties.map(({ state }) => state))].sort();
  if (question.type === 'county') {
    const rows = counties.filter(({ state }) => question.state === undefined || state === question.state);
    return { question, counties, states, rows };
  }
  const within = { ...question, state: question.county ? undefined : (question.state ?? states[0] ?? 'AL') };
  return { question: within, counties, states, rows: await readRows(visit, question, within) };
}
