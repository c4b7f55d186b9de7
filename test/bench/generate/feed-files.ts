import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { stringify } from 'yaml';
import { fiveDigits } from '../../../shared/regions/counties.ts';
import { COUNTY_COLUMN, DEFAULT_COUNTY, KEY_COLUMN, ROLL_COLUMNS } from './roll.ts';

/**
 * A feed file for the generated roll of a county, or of a state if `fips` is null. `file` is the roll's path
 * relative to the feed file.
 */
export function rollFeed(name: string, file: string, fips: number | null = DEFAULT_COUNTY): object {
  return {
    name,
    kind: 'assessor',
    title: 'Generated roll',
    ...(fips === null ? {} : { fips: fiveDigits(fips) }),
    roll: {
      source: file,
      format: 'ndgeojson',
      key: KEY_COLUMN,
      // Few parcels have a second owner or a loan, so a small roll may lack such columns in every row.
      columns: Object.fromEntries(
        Object.entries(fips === null ? { ...ROLL_COLUMNS, fips: COUNTY_COLUMN } : ROLL_COLUMNS).map(
          ([field, column]) => [field, { column, optional: true }],
        ),
      ),
    },
  };
}

/** Writes a feed file as YAML. A feed without a name takes the name of the file. */
export function writeFeed(file: string, feed: object): void {
  writeFileSync(file, `# Written with ${basename(file)}'s data by test/bench/generate.\n${stringify(feed)}`);
}
