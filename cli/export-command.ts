import { extname, join } from 'node:path';
import { type Command, Option } from 'commander';
import type { ZodType } from 'zod';
import { columnNames } from '../shared/exports/export-columns.ts';
import {
  EXPORT_FORMATS as ALL_FORMATS,
  type ExportFormat,
  type ExportRequest,
  FILE_TYPES,
  kindOf,
} from '../shared/exports/export-request.ts';
import { compsRequest } from '../shared/market/comps-query.ts';
import { filterSchema } from '../shared/parcels/filter/filter-schema.ts';
import { PlatError } from '../shared/platform/errors.ts';
import { fiveDigits } from '../shared/regions/counties.ts';
import { fips, fipsList } from './common/cli-options.ts';
import { action } from './common/cli-session.ts';

/** Letters need a list, which belongs to a company. */
const EXPORT_FORMATS = ALL_FORMATS.filter(format => format !== 'pdf');

type ExportFlags = {
  county?: number;
  filter?: string;
  comps?: string;
  format?: ExportFormat;
  columns?: string;
  boundary?: boolean;
  onePerOwner?: boolean;
  onePerAssemblage?: boolean;
};

export function addExportCommands(program: Command): void {
  const one = program
    .command('export')
    .description('export parcels or comps to a file, as the API does; free, and not recorded as an export')
    .argument('<file>', `the extension sets the format: ${EXPORT_FORMATS.map(endingOf).join(', ')}`)
    .option('--county <fips>', 'all parcels of a county', fips)
    .addOption(
      new Option('--filter <json>', 'parcels: JSON in the format of properties/filter/').conflicts([
        'county',
        'comps',
      ]),
    )
    .addOption(
      new Option('--comps <json>', 'comps: the query parameters of comps/ as JSON').conflicts('county'),
    )
    .addOption(
      new Option('--format <format>', "file format, if the extension doesn't show it").choices(
        EXPORT_FORMATS,
      ),
    )
    .option('--columns <names>', 'columns in this order, separated by commas; default: all')
    .option('--boundary', 'csv: include boundaries as WKT')
    .option('--no-boundary', 'other formats: include points instead of boundaries')
    .option('--one-per-owner', 'only the largest parcel of each owner')
    .option('--one-per-assemblage', "only the largest of an owner's parcels that are next to each other")
    .addHelpText(
      'after',
      `
Examples:
  plat export sullivan.csv --county 33019 --columns apn,acres,owner_name
  plat export large.parquet --filter '{"state": "NH", "acres_min": 100}'
  plat export sold.xlsx --comps '{"fips": "33019", "status": ["SOLD"]}'`,
    );
  action(one, async ({ db }, file: string, flags: ExportFlags) => {
    const request = requestOf(file, flags);
    const { saveFile } = await import('../workers/exports/save-file.ts');
    const made = await saveFile(db, request, file);
    return [made, `${made.rows.toLocaleString('en-US')} rows, ${size(made.bytes)}: ${file}`];
  });

  const publish = program
    .command('publish')
    .description('write all parcels to GeoParquet files, one per county, with a manifest of checksums')
    .argument('<folder>', 'created if it is missing; existing files are replaced')
    .option('--county <fips...>', 'only these counties', fipsList)
    .addHelpText(
      'after',
      '\nExample, with a query in DuckDB:\n  plat publish /srv/parcels\n  duckdb -c "select sum(acres) from \'/srv/parcels/*.parquet\'"',
    );
  action(publish, async ({ db }, folder: string, { county }: { county?: number[] }) => {
    const { MANIFEST, publishCounties } = await import('../workers/exports/publish-counties.ts');
    const manifest = await publishCounties(db, folder, county);
    const rows = manifest.files.reduce((sum, each) => sum + each.rows, 0);
    const bytes = manifest.files.reduce((sum, each) => sum + each.bytes, 0);
    return [
      manifest,
      `${manifest.files.length} counties, ${rows.toLocaleString('en-US')} parcels, ${size(bytes)}: ${join(folder, MANIFEST)}`,
    ];
  });
}

const endingOf = (format: ExportFormat): string => `.${FILE_TYPES[format].extension}`;

const size = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** @throws PlatError `validation_error` naming the option that is wrong */
function requestOf(file: string, flags: ExportFlags): ExportRequest {
  const { county, filter, comps, columns, boundary, onePerOwner, onePerAssemblage } = flags;
  const format = flags.format ?? EXPORT_FORMATS.find(each => endingOf(each) === extname(file).toLowerCase());
  if (format === undefined)
    throw refused(
      `${file} has no known extension (${EXPORT_FORMATS.map(endingOf).join(', ')}). Rename it, or set --format`,
    );
  const asked =
    county !== undefined
      ? { filter: { county: fiveDigits(county) } }
      : filter !== undefined
        ? { filter: bodyOf('--filter', filter, filterSchema) }
        : comps !== undefined
          ? { comps: bodyOf('--comps', comps, compsRequest) }
          : undefined;
  if (asked === undefined) throw refused('choose what to export with --county, --filter, or --comps');
  if ('comps' in asked && (onePerOwner || onePerAssemblage || boundary))
    throw refused('--one-per-owner, --one-per-assemblage, and --boundary apply to parcels only');
  if (format === 'xlsx' && boundary)
    throw refused("xlsx can't include --boundary: boundaries are too long for its cells");
  const request: ExportRequest = {
    ...asked,
    format,
    ...(columns !== undefined && { columns: columns.split(',').map(name => name.trim()) }),
    ...(boundary !== undefined && { boundary }),
    ...(onePerOwner && { one_per_owner: true }),
    ...(onePerAssemblage && { one_per_assemblage: true }),
  };
  const known = columnNames(kindOf(request));
  const strange = request.columns?.filter(name => !known.includes(name)) ?? [];
  if (strange.length > 0)
    throw refused(`--columns: unknown ${strange.join(', ')}. Known columns: ${known.join(', ')}`);
  return request;
}

/** The parsed JSON, checked against the schema but not changed by it. */
function bodyOf(option: string, text: string, schema: ZodType): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw refused(`${option} is not valid JSON`);
  }
  const { error } = schema.safeParse(body, { reportInput: true });
  const [issue] = error?.issues ?? [];
  if (issue !== undefined)
    throw refused(`${option}: ${[issue.path.join('.'), issue.message].filter(Boolean).join(' ')}`);
  return body as Record<string, unknown>;
}

const refused = (why: string) => new PlatError('validation_error', `${why}.`);
