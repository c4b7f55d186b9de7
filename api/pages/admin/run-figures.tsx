import { listRejects, type Reject, type Run } from '../../../shared/feeds/ingest-runs.ts';
import { count, oneDigit, percent } from '../../../shared/model/figures.ts';
import { ALL_FIELDS } from '../../../shared/model/parcel-fields.ts';
import { Facts, Grid, Meter, Panel } from '../frame/layout.tsx';
import type { Visit } from '../frame/visit.ts';

/** Rows shown per reason, collapsed and expanded. The CLI shows more. */
const FEW_REJECTS = 1;
const MAX_REJECTS = 100;

type Line = { what: string; badge: string; why: string; rows: number; reason?: string; rejects: Reject[] };

/** Everything that was rejected, dropped, repaired, merged, or skipped. */
export async function leftOutOf({ deps, url }: Visit, { id, counts }: Run): Promise<Line[]> {
  const open = url.searchParams.get('reason');
  const rejected = Object.entries(counts.rejected ?? {}).map(async ([reason, rows]): Promise<Line> => {
    const limit = reason === open ? MAX_REJECTS : FEW_REJECTS;
    const rejects = await listRejects(deps.db, id, reason, limit);
    return { what: 'Rejected', badge: 'warn', why: REASONS[reason] ?? plain(reason), rows, reason, rejects };
  });
  const others = (counts_: Record<string, number> | undefined, what: string, why: (name: string) => string) =>
    Object.entries(counts_ ?? {}).map(
      ([name, rows]): Line => ({ what, badge: '', why: why(name), rows, rejects: [] }),
    );
  const single = (rows: number | undefined, what: string, why: string): Line[] =>
    rows ? [{ what, badge: '', why, rows, rejects: [] }] : [];
  return [
    ...(await Promise.all(rejected)),
    ...others(counts.dropped, 'Value dropped', whyDropped),
    ...others(counts.repaired, 'Repaired', repair => `Boundary: ${plain(repair).toLowerCase()}`),
    ...single(counts.identical, 'Merged', 'Same as another row'),
    ...single(counts.parts, 'Merged', 'Another part of the same parcel'),
    ...single(counts.skipped, 'Skipped', 'The feed skips it on purpose, or it is a totals row'),
  ].sort((a, b) => Number(b.what === 'Rejected') - Number(a.what === 'Rejected') || b.rows - a.rows);
}

function whyDropped(field: string): string {
  if (field === 'geometry') return 'Geometry: unusable shape';
  if (field === 'row') return 'Row: the last columns are missing';
  return `${labelOf(field)}: invalid value`;
}

export function LeftOut({ run, lines }: { run: Run; lines: readonly Line[] }) {
  if (lines.length === 0) return <p>All rows imported without changes.</p>;
  return (
    <Grid
      name="Rejected and repaired rows"
      heads={['Result', 'Reason', 'Rows']}
      rows={lines.map(({ what, badge, why, rows, reason, rejects }) => [
        <span class={`badge ${badge}`}>{what}</span>,
        <div class="why">
          {why}
          {rejects.map(reject => (
            <RawRow reject={reject} open={rejects.length === 1 && lines.length === 1} />
          ))}
          {reason !== undefined && rejects.length < Math.min(rows, MAX_REJECTS) && (
            <a href={`/admin/runs/${run.id}?reason=${encodeURIComponent(reason)}`}>
              {rows > MAX_REJECTS ? `Show the first ${MAX_REJECTS} rows` : `Show all ${count(rows)} rows`}
            </a>
          )}
        </div>,
        count(rows),
      ])}
    />
  );
}

const RawRow = ({
  reject: { input, row_no, field, message, raw },
  open,
}: {
  reject: Reject;
  open: boolean;
}) => (
  <details open={open}>
    <summary>
      Row {count(row_no)} of {input}
      {field !== null && `, ${labelOf(field)}`}: {message}
    </summary>
    <pre>{raw.slice(0, 2_000)}</pre>
  </details>
);

const REASONS: Record<string, string> = {
  unreadable_row: 'The file is damaged here',
  ragged_row: 'Row has a different number of columns than the header',
  row_too_long: 'Row is over 2 million characters',
  not_sent: 'The source lists this row but fails to return it',
  missing_key: 'Parcel without a number',
  key_too_long: 'Parcel number is too long',
  missing_fips: 'No county',
  unknown_fips: "County doesn't exist",
  wrong_fips: "County isn't the feed's county",
  former_county: 'Connecticut county from before 2022, with no way to tell its planning region',
  duplicate_key: 'Duplicate APN, different data',
  missing_source_id: 'Listing without an ID',
  missing_status: 'Listing without a status',
  unknown_status: 'Listing with an unknown status',
  missing_class: 'No class',
  unknown_class: "Class isn't listed in the feed",
  unknown_zone: 'Not a FEMA flood zone',
  geometry_missing: 'No geometry',
  missing_location: 'Tile without a file',
  superseded: 'The same file has a newer version of this row',
};

/** Turns `spike_dropped` into "Spike dropped". */
function plain(name: string): string {
  const words = name.replaceAll('_', ' ').replaceAll('.', ': ');
  return words[0]!.toUpperCase() + words.slice(1);
}

/** A field's label. Values from the boundary file have their own labels. */
function labelOf(field: string): string {
  const name = field.replace(/^shape\./, '');
  const label = ALL_FIELDS[name]?.label ?? plain(name);
  return name === field ? label : `${label} (boundary file)`;
}

export function Filled({ run: { counts } }: { run: Run }) {
  const filled = Object.entries(counts.filled ?? {});
  if (filled.length === 0) return null;
  const used = Math.max(1, ...filled.map(([, rows]) => rows));
  return (
    <Panel id="filled" title="Completeness" aside={<small>of {count(used)} rows</small>}>
      <dl class="filled">
        {filled.map(([field, rows]) => {
          const share = (100 * rows) / used;
          return (
            <div>
              <dt>{labelOf(field)}</dt>
              <dd>
                {rows === 0 ? (
                  <span class="badge warn">empty</span>
                ) : (
                  <>
                    <Meter percent={share} />
                    <span class="share">{percent(share)}</span>
                  </>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
    </Panel>
  );
}

export function Sources({ run: { inputs } }: { run: Run }) {
  if (inputs.length === 0) return null;
  return (
    <Panel id="sources" title="Data sources">
      {inputs.map(({ input, source, bytes, version }) => (
        <Facts
          kind="filled"
          of={[
            [plain(input), [source].flat().join(', ')],
            ['Size', bytes > 0 ? sizeOf(bytes) : null],
            ['Version', version ?? null],
          ]}
        />
      ))}
    </Panel>
  );
}

export const sizeOf = (bytes: number): string =>
  bytes < 1e6 ? `${oneDigit(bytes / 1e3)} kB` : `${oneDigit(bytes / 1e6)} MB`;

/** All of the run's counts, including those not shown above. */
export function AllFigures({ run: { counts } }: { run: Run }) {
  return (
    <details>
      <summary>All counts</summary>
      <Grid name="All counts" heads={['Count', 'Value']} rows={flat(counts)} />
    </details>
  );
}

/** Formats counts, and extents in degrees. */
const FIGURES = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });

/** Flattens nested counts into lines: "Rejected: missing key" 12. */
function flat(counts: object, before = ''): string[][] {
  return Object.entries(counts).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? flat(value, `${before}${name}.`)
      : [[plain(before + name), typeof value === 'number' ? FIGURES.format(value) : String(value)]],
  );
}

export const sum = (counts: Record<string, number> | undefined): number =>
  Object.values(counts ?? {}).reduce((total, n) => total + n, 0);
