import { listRejects, type Reject, type Run } from '../../../shared/feeds/ingest-runs.ts';
import { count, oneDigit, percent } from '../../../shared/model/figures.ts';
import { ALL_FIELDS } from '../../../shared/model/parcel-fields.ts';
import { Facts, Grid, Meter, Panel } from '../frame/layout.tsx';
import type { Visit } from '../frame/visit.ts';

/** Of one reason, shown at first and when it is opened; the command line shows more. */
const FEW_REJECTS = 1;
const MAX_REJECTS = 100;

type Line = { what: string; badge: string; why: string; rows: number; reason?: string; rejects: Reject[] };

/** Every way in which a row, or a value of one, was not used as it came. */
export async function leftOutOf({ deps, url }: Visit, { id, counts }: Run): Promise<Line[]> {
  const open = url.searchParams.get('reason');
  const rejected = Object.entries(counts.rejected ?? {}).map(async ([reason, rows]): Promise<Line> => {
    const limit = reason === open ? MAX_REJECTS : FEW_REJECTS;
    const rejects = await listRejects(deps.db, id, reason, limit);
    return { what: 'Left out', badge: 'warn', why: REASONS[reason] ?? plain(reason), rows, reason, rejects };
  });
  const others = (counts_: Record<string, number> | undefined, what: string, why: (name: string) => string) =>
    Object.entries(counts_ ?? {}).map(
      ([name, rows]): Line => ({ what, badge: '', why: why(name), rows, rejects: [] }),
    );
  const single = (rows: number | undefined, what: string, why: string): Line[] =>
    rows ? [{ what, badge: '', why, rows, rejects: [] }] : [];
  return [
    ...(await Promise.all(rejected)),
    ...others(counts.dropped, 'Value left out', whyDropped),
    ...others(counts.repaired, 'Repaired', repair => `Boundary: ${plain(repair).toLowerCase()}`),
    ...single(counts.identical, 'Merged', 'Same as another row'),
    ...single(counts.parts, 'Merged', 'Another part of the same parcel'),
    ...single(counts.skipped, 'Skipped', 'The feed leaves it out on purpose, or it is a line of totals'),
  ].sort((a, b) => Number(b.what === 'Left out') - Number(a.what === 'Left out') || b.rows - a.rows);
}

function whyDropped(field: string): string {
  if (field === 'geometry') return 'Shape: it cannot be used';
  if (field === 'row') return 'End of the row: its last cells are missing';
  return `${labelOf(field)}: it does not fit the field`;
}

export function LeftOut({ run, lines }: { run: Run; lines: readonly Line[] }) {
  if (lines.length === 0) return <p>Every row was used as it came.</p>;
  return (
    <Grid
      name="Rows left out or repaired"
      heads={['What happened', 'Why', 'Rows']}
      rows={lines.map(({ what, badge, why, rows, reason, rejects }) => [
        <span class={`badge ${badge}`}>{what}</span>,
        <div class="why">
          {why}
          {rejects.map(reject => (
            <RawRow reject={reject} open={rejects.length === 1 && lines.length === 1} />
          ))}
          {reason !== undefined && rejects.length < Math.min(rows, MAX_REJECTS) && (
            <a href={`/admin/runs/${run.id}?reason=${encodeURIComponent(reason)}`}>
              {rows > MAX_REJECTS ? `The first ${MAX_REJECTS} rows` : `All ${count(rows)} rows`}
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
  unreadable_row: 'The file is broken here',
  ragged_row: 'Another number of cells than the header has',
  row_too_long: 'A row of over 2 million characters',
  not_sent: 'The server has it, and fails on it when asked',
  missing_key: 'A parcel without a number',
  key_too_long: "A parcel's number that is too long",
  missing_fips: 'It says no county',
  unknown_fips: 'A county that does not exist',
  wrong_fips: "Another county than the feed's",
  former_county: 'A county of Connecticut before 2022, and no way to tell the planning region',
  duplicate_key: 'Its number is that of an earlier row with other values',
  missing_source_id: 'A listing without an id',
  missing_status: 'A listing without a status',
  unknown_status: 'A listing with a status that is not known',
  missing_class: 'Nothing tells its class',
  unknown_class: 'A class that the feed does not list',
  unknown_zone: 'A flood zone that FEMA does not have',
  geometry_missing: 'It has no geometry',
  missing_location: 'A tile that names no file',
  superseded: 'The same file has a newer state of it',
};

/** "Spike dropped" of spike_dropped. */
function plain(name: string): string {
  const words = name.replaceAll('_', ' ').replaceAll('.', ': ');
  return words[0]!.toUpperCase() + words.slice(1);
}

/** What the file of boundaries says is told apart from what the roll says. */
function labelOf(field: string): string {
  const name = field.replace(/^shape\./, '');
  const label = ALL_FIELDS[name]?.label ?? plain(name);
  return name === field ? label : `${label}, by the boundaries`;
}

export function Filled({ run: { counts } }: { run: Run }) {
  const filled = Object.entries(counts.filled ?? {});
  if (filled.length === 0) return null;
  const used = Math.max(1, ...filled.map(([, rows]) => rows));
  return (
    <Panel id="filled" title="How full it is" aside={<small>of {count(used)}</small>}>
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

/** For who looks for a figure that is not above. */
export function AllFigures({ run: { counts } }: { run: Run }) {
  return (
    <details>
      <summary>All figures of the run</summary>
      <Grid name="All figures" heads={['Figure', 'Number']} rows={flat(counts)} />
    </details>
  );
}

/** Counts, and the degrees of extents. */
const FIGURES = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });

/** Nested counts as lines: "Rejected: missing key" 12. */
function flat(counts: object, before = ''): string[][] {
  return Object.entries(counts).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? flat(value, `${before}${name}.`)
      : [[plain(before + name), typeof value === 'number' ? FIGURES.format(value) : String(value)]],
  );
}

export const sum = (counts: Record<string, number> | undefined): number =>
  Object.values(counts ?? {}).reduce((total, n) => total + n, 0);
