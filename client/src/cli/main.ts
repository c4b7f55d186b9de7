import { PlatError } from '../index.ts';
import { count } from './count.ts';
import { print, report, UsageError } from './options.ts';
import { pull } from './pull.ts';
import { stats } from './stats.ts';
import { watch } from './watch.ts';

const HELP = `Usage: plat-client COMMAND [options]

  count FILTER                      how many parcels a filter finds, and what they cost
  pull FILTER --out FILE            download parcels. Run it again to continue after an interruption
    --list ID                         the rows of a list instead of a filter
    --columns apn,acres,owner_name    only these columns
    --most-tokens N                   order nothing that costs more
  watch                             print changes as lines of JSON, from now on
    --fips 33019 --types parcel.new   only these
    --search ID                       only changes of a saved search
    --cursor FILE                     where to keep the place (plat-watch.json)
    --every SECONDS                   how often to look (60)
    --once                            print what has changed since the last run, and stop
  stats FIPS | stats --zip ZIP      statistics of a county or a ZIP code

A FILTER is name=value pairs, such as county=33019 acres_min=5, or JSON. A FILE ends in .csv,
.parquet, .gpkg, .xlsx, .fgb, .geojsonl, or .kml. count and stats take --json.

  --url URL, or PLAT_URL            the Plat server (http://127.0.0.1:3000)
  --key-file FILE, or PLAT_KEY      your API key

Exit codes: 0 done, 1 failed, 2 wrong usage.`;

const COMMANDS: Record<string, (args: string[]) => Promise<void>> = { count, pull, stats, watch };

/** @returns the exit code */
export async function main([name, ...args]: string[]): Promise<number> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  if (name === undefined || name === 'help' || [name, ...args].includes('--help')) {
    print(HELP);
    return name === undefined ? 2 : 0;
  }
  const command = COMMANDS[name];
  try {
    if (command === undefined) throw new UsageError(`${name} is not a command.`);
    await command(args);
    return 0;
  } catch (error) {
    report(messageOf(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

function messageOf(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\nFor help, run plat-client --help.`;
  if (error instanceof PlatError)
    return error.requestId === null ? error.message : `${error.message}\nRequest id: ${error.requestId}`;
  if (error instanceof TypeError && error.message === 'fetch failed')
    return `Can't reach the Plat server: ${(error.cause as Error | undefined)?.message ?? error.message}. Check PLAT_URL or --url.`;
  return error instanceof Error ? error.message : String(error);
}
