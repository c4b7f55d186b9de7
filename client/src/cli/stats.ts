import { unwrap } from '../index.ts';
import { COMMON, connectWith, figure, print, readOptions, table, UsageError } from './options.ts';

const SHOWN = ['Active', 'Pending', 'Sold: 1yr', '1yr STR', 'Median Price 1yr', 'Median Sold PPA'] as const;

/** Prints the statistics of a county, or of a ZIP code. */
export async function stats(args: string[]): Promise<void> {
  const { values, positionals } = readOptions({
    args,
    allowPositionals: true,
    options: { ...COMMON, zip: { type: 'string' }, json: { type: 'boolean' } },
  });
  const { zip } = values;
  const [fips, ...others] = positionals;
  if (others.length > 0 || (fips === undefined) === (zip === undefined))
    throw new UsageError('Enter the FIPS code of one county, such as 33019, or --zip with a ZIP code.');
  const plat = connectWith(values);
  const market = await unwrap(
    zip !== undefined
      ? plat.GET('/api/public/v1/markets-stats/zip/{zip}/stats/', { params: { path: { zip } } })
      : plat.GET('/api/public/v1/markets-stats/{fips}/stats/', { params: { path: { fips: fips! } } }),
  );
  if (values.json) return print(JSON.stringify(market));
  print(`${market.name}, ${market.state} as of ${market.as_of ?? '-'}`);
  const lines = market.stats.map(({ type, data }) => [type, ...SHOWN.map(key => figure(data[key]))]);
  print(table([['lot size', ...SHOWN], ...lines]));
}
