import type { Command } from 'commander';
import { dayOf, isoDay, utcDay } from '../shared/kernels/stats/calendar.ts';
import type { Backtest, CountyBacktest } from '../shared/kernels/valuation/backtest.ts';
import type { Method } from '../shared/kernels/valuation/baselines.ts';
import { fiveDigits } from '../shared/regions/counties.ts';
import { day, fips, requireRegion } from './common/cli-options.ts';
import { table } from './common/cli-output.ts';
import { action, EXIT } from './common/cli-session.ts';

type Flags = { fips?: number; all?: boolean; from?: string; to?: string };

/** Earlier than any sale. */
const FIRST_DAY = '1900-01-01';

const NAMES: Record<Method, string> = {
  model: 'valuation',
  county_bucket: "county's median $/acre by size x acres",
  nearest_5_ppa: 'mean $/acre of the 5 nearest sales x acres',
  nearest_5_price: 'mean price of the 5 nearest sales',
  nearest_regressed: '12 sales nearest in place, size, and time, regressed on size',
};

export function addBacktestCommands(program: Command): void {
  const valuations = program
    .command('backtest')
    .description('test results on past data, using only what was known at the time')
    .command('valuations')
    .option('--fips <fips>', 'sales in one county; comps can come from other counties', fips)
    .option('--all', 'one row per county: valued with only its own sales, and with those of other counties')
    .option('--from <date>', `first sale date (YYYY-MM-DD); default: all sales (${FIRST_DAY})`, day)
    .option('--to <date>', 'last sale date (YYYY-MM-DD); default: today', day)
    .description(
      'value every past sale using only what was known the day before, and compare the value with the price',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  plat backtest valuations --from 2012-01-01\n  plat backtest valuations --fips 33019 --json\n  plat backtest valuations --all',
    );
  action(valuations, async ({ db }, flags: Flags) => {
    const { fips: county, all, from = FIRST_DAY, to = isoDay(utcDay(Date.now())) } = flags;
    const refuse = (why: string) => valuations.error(`error: ${why}`, { exitCode: EXIT.usage });
    if (from > to) refuse('--from is after --to');
    await requireRegion(db, { fips: county });
    if (all && county !== undefined) refuse('use either --all or --fips, not both');
    const { backtestCounties, backtestValuations } = await import('../workers/valuation/run-backtest.ts');
    const period = { fromDay: dayOf(from), toDay: dayOf(to), onProgress: showProgress };
    if (all) {
      const counties = await backtestCounties(db, period).finally(clearProgress);
      const named = counties.map(one => ({ ...one, fips: fiveDigits(one.fips) }));
      return [{ from, to, counties: named }, countiesTable(named)];
    }
    const of = county === undefined ? {} : { county };
    const result = await backtestValuations(db, { ...period, ...of }).finally(clearProgress);
    const fips = county === undefined ? null : fiveDigits(county);
    return [{ fips, from, to, ...result }, describe(result)];
  });
}

function showProgress(done: number, total: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${done} of ${total} sales`);
}

const clearProgress = () => void (process.stderr.isTTY && process.stderr.write('\r\x1b[K'));

function describe(result: Backtest): string {
  const { sales, valued } = result;
  if (result.methods.model === null)
    return `${sales} sales, ${valued} of them with earlier comps: too few to compare.`;
  return [
    `${valued} of ${sales} sales had earlier comps. Every method valued each of them ${known(result)}.`,
    methodsTable(result),
    `80% range: contains ${percent(result.coverage)} of the prices (90% CI: ${range(result.coverageRange)}).`,
    biasLines(result),
    bandsTable(result),
    orderingLine(result),
    comparison(result),
  ].join('\n\n');
}

/** The age of the data used to value each sale. */
function known({ fits, daysBefore }: Backtest): string {
  const { median, most } = daysBefore!;
  if (most === 1) return 'as of the day before';
  return `as of one of ${fits} dates before it: a median of ${median} and up to ${most} days before the sale`;
}

function methodsTable({ methods }: Backtest): string {
  const rows = Object.entries(NAMES).map(([method, name]) => {
    const study = methods[method as Method]!;
    return {
      method: name,
      n: study.sales,
      'MdAPE %': study.mdape.toFixed(1),
      'within 10%': study.within10.toFixed(1),
      '20%': study.within20.toFixed(1),
      '25%': study.within25.toFixed(1),
      'median ratio': study.medianRatio.toFixed(2),
      COD: study.cod.toFixed(1),
      PRD: study.prd.toFixed(2),
      PRB: study.prb.toFixed(3),
    };
  });
  return table(rows);
}

/** One row per county. The baseline figures don't depend on other counties. */
function countiesTable(counties: readonly (Omit<CountyBacktest, 'fips'> & { fips: string })[]): string {
  const mdape = (of: Backtest, method: Method) => of.methods[method]?.mdape.toFixed(1) ?? '';
  const rows = counties.map(({ fips, alone, withOthers }) => ({
    county: fips,
    n: withOthers.valued,
    'MdAPE % alone': mdape(alone, 'model'),
    'with others': mdape(withOthers, 'model'),
    '80% range alone': alone.coverage?.toFixed(1) ?? '',
    'with others ': withOthers.coverage?.toFixed(1) ?? '',
    'median by size': mdape(withOthers, 'county_bucket'),
    '5 nearest, $/acre': mdape(withOthers, 'nearest_5_ppa'),
    '5 nearest, price': mdape(withOthers, 'nearest_5_price'),
    '12 nearest, regressed': mdape(withOthers, 'nearest_regressed'),
  }));
  return rows.length === 0 ? 'No county has sales in this period.' : table(rows);
}

function bandsTable({ bands }: Backtest): string {
  const rows = bands.map(band => ({
    confidence: `${band.from} to ${band.to}`,
    n: band.sales,
    'mean confidence': band.meanConfidence.toFixed(1),
    'within 25%': band.within25.toFixed(1),
    'MdAPE %': band.mdape.toFixed(1),
  }));
  return table(rows);
}

/** The PRB that errors alone would cause, and a measure of bias that doesn't depend on them. */
function biasLines({ prbByChance, slope }: Backtest): string {
  const chance = `PRB of unbiased estimates with the same errors: ${range(prbByChance, 2)} (90% CI).`;
  if (slope === null) return chance;
  return `${chance}\nWhen an estimate is 1% higher, the price is ${slope.slope.toFixed(2)}% higher (90% CI: ${range(slope, 2)}).`;
}

function orderingLine({ ordering }: Backtest): string {
  const { points, percent: share, ...rest } = ordering!;
  return `The half of the sales with higher confidence was within 25% more often, by ${points.toFixed(1)} points (90% CI: ${range(rest)}; above 0 in ${share.toFixed(1)}% of resamples).`;
}

function comparison({ better }: Backtest): string {
  const rows = Object.entries(better).map(([method, sure]) => {
    const { percent: share, low, high } = sure!;
    return {
      'MdAPE of the valuation, compared with': NAMES[method as Method],
      'lower in': `${share.toFixed(1)}% of resamples`,
      'difference, 90% CI': `${low.toFixed(1)} to ${high.toFixed(1)} points`,
    };
  });
  return table(rows);
}

const range = (of: { low: number; high: number } | null, digits = 1) =>
  of === null ? 'unknown' : `${of.low.toFixed(digits)} to ${of.high.toFixed(digits)}`;

const percent = (value: number | null) => (value === null ? 'none' : `${value.toFixed(1)}%`);
