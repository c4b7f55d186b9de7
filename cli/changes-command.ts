import { type Command, Option } from 'commander';
import { CHANGE_TYPES, type ChangedFields } from '../shared/model/changes.ts';
import { fiveDigits } from '../shared/regions/counties.ts';
import { fips, moment, wholeNumber } from './common/cli-options.ts';
import { table } from './common/cli-output.ts';
import { action } from './common/cli-session.ts';

type Flags = { county?: number; type?: string; since?: Date; limit: number };

type Row = {
  seq: number;
  at: Date;
  type: string;
  run_id: number | null;
  fips: number | null;
  property_id: number | null;
  listing_id: string | null;
  zip: string | null;
  fields: ChangedFields;
};

export function addChangesCommand(program: Command): void {
  const changes = program
    .command('changes')
    .description('list changes from runs, valuations, and statistics, newest first')
    .option('--county <fips>', 'changes in one county', fips)
    .addOption(new Option('--type <type>', 'changes of one type').choices(CHANGE_TYPES))
    .option('--since <moment>', 'changes since this time', moment)
    .option('--limit <n>', 'number of changes', wholeNumber, 20)
    .addHelpText(
      'after',
      '\nExample:\n  plat changes --county 33019 --type parcel.changed --since 2026-11-01 --limit 100',
    );
  action(changes, async ({ db }, { county, type, since, limit }: Flags) => {
    const filters = { fips: county ?? null, type: type ?? null, since: since ?? null };
    const rows = await db.run<Row>('changes/list_recent', { ...filters, limit });
    const lines = rows.map(({ seq, at, type, run_id: run, fips, property_id, listing_id, zip, fields }) => ({
      seq,
      at,
      type,
      run,
      county: fips === null ? '' : fiveDigits(fips),
      subject: property_id ?? listing_id ?? zip ?? '',
      changed: clipped(Object.entries(fields).map(fieldText).join(', '), LINE_CHARS),
    }));
    return [rows, table(lines, ['seq', 'at', 'type', 'run', 'county', 'subject', 'changed'])];
  });
}

/** Keeps table lines readable. --json prints everything. */
const LINE_CHARS = 160;
const VALUE_CHARS = 40;

const clipped = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;

function fieldText([name, [was, is]]: [string, [unknown, unknown]]): string {
  const text = (value: unknown) => clipped(JSON.stringify(value), VALUE_CHARS);
  return `${name} ${text(was)} -> ${text(is)}`;
}
