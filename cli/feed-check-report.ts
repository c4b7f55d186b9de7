import type { Box } from '../shared/geo/geometry-types.ts';
import type { ColumnCheck, Fault, PartCheck } from '../workers/ingest/engine/check-part.ts';
import type {
  FeedCheck,
  FilesCheck,
  ImageryCheck,
  TileCheck,
  TilesCheck,
} from '../workers/ingest/engine/dry-run.ts';
import { table } from './common/cli-output.ts';

const TILES_SHOWN = 10;

export function renderCheck(check: FeedCheck): string {
  const preset = check.preset === null ? '' : `, preset ${check.preset}`;
  const blocks = [`${check.feed} (${check.kind}${preset}): ${check.file}`, ...check.parts.map(renderPart)];
  if (check.tiles) blocks.push(renderTiles(check.tiles));
  if (check.imagery) blocks.push(renderImagery(check.imagery));
  if (check.keys) blocks.push(renderKeys(check.keys));
  if (check.comps.length > 0) blocks.push(list('Comps', check.comps));
  if (check.warnings.length > 0) blocks.push(list('Warnings', check.warnings));
  blocks.push(check.ok ? 'No problems found.' : list('Problems', check.problems));
  return `${blocks.join('\n\n')}\n`;
}

function renderPart(part: PartCheck): string {
  const { rows, columns, unmapped, unfilled, classes } = part;
  const counts = (of: Record<string, number> = {}) => Object.entries(of).map(entry => entry.join(' '));
  const unused = (isEmpty: boolean) => unmapped.filter(({ filled }) => (filled === 0) === isEmpty);
  const notes: Record<string, string[]> = {
    'Features that are loaded': counts(classes?.counting),
    'Features that are ignored': counts(classes?.notCounting),
    'Fields whose column is missing from the source': columns
      .filter(column => column.absent)
      .map(({ target, from }) => `${target} (${from.join(', ')})`),
    'Fields not mapped': unfilled,
    'Columns not used': unused(false).map(({ column, sample }) => `${column} (${cut(sample, 20)})`),
    'Columns not used, empty': unused(true).map(({ column }) => column),
  };
  const lines = [
    `${part.part}: ${part.source} (${part.format})`,
    `  ${summary(part)}`,
    '',
    columnsTable(columns, rows),
  ];
  for (const [title, items] of Object.entries(notes))
    if (items.length > 0) lines.push('', wrapped(title, items));
  if (part.rejected.length > 0) lines.push('', faults('Rows that would be rejected', part.rejected));
  if (part.dropped.length > 0)
    lines.push('', faults('Values that would become null or be cut', part.dropped));
  return lines.join('\n');
}

function renderTiles(check: TilesCheck): string {
  const tiles = check.tiles.map(
    ({ source, width, height, cell, crs, unitM, unitStated, nodata, heights, extent }) => [
      `  ${source}`,
      `    ${width} x ${height} cells of ${cell.map(size => Number(size.toPrecision(6))).join(' x ')} in ${cut(crs, 60)}`,
      `    elevations in units of ${unitM} m${unitStated ? '' : ' (default: not set in the file or the feed)'}, ${nodata === null ? 'no empty cells' : `${nodata} marks empty cells`}`,
      ...(heights ? [`    ${heightRange(heights)}`] : []),
      `    ${written(extent)}`,
    ],
  );
  return renderFiles('elevation', check.named === 1 ? 'tile' : 'tiles', check, tiles, 'Tiles');
}

function renderImagery(check: ImageryCheck): string {
  const sources = check.sources.map(({ source, pixelM, extent, file }) => [
    `  ${source}`,
    ...(file
      ? [
          `    ${file.width} x ${file.height} pixels of ${file.bands} x ${file.bits} bits in ${cut(file.crs, 60)}, ${file.overviews} overviews`,
        ]
      : []),
    `    pixels of ${Number(pixelM.toPrecision(3))} m, ${written(extent)}`,
  ]);
  return renderFiles('imagery', check.named === 1 ? 'source' : 'sources', check, sources, 'Files');
}

/** @param blocks the lines of each file that could be read */
function renderFiles(
  part: string,
  word: string,
  { named, read, absent, rejected }: FilesCheck,
  blocks: readonly string[][],
  plural: string,
): string {
  const refused = rejected.reduce((sum, { count }) => sum + count, 0);
  const lines = [
    `${part}: ${named} ${word} named, ${read} read, ${absent} missing, ${refused} would be rejected`,
    ...blocks.slice(0, TILES_SHOWN).flat(),
  ];
  if (blocks.length > TILES_SHOWN) lines.push(`  and ${blocks.length - TILES_SHOWN} more`);
  if (rejected.length > 0) lines.push('', faults(`${plural} that would be rejected`, rejected));
  return lines.join('\n');
}

const written = (extent: Box): string =>
  `${extent.map(degrees => degrees.toFixed(4)).join(', ')} (west, south, east, north)`;

function heightRange({ cells, lowestM, highestM, dropped }: NonNullable<TileCheck['heights']>): string {
  const seen =
    lowestM === null || highestM === null
      ? 'no elevations'
      : `elevations from ${lowestM.toFixed(1)} to ${highestM.toFixed(1)} m`;
  return `${seen} in ${cells} sampled cells; ${dropped} dropped as impossible`;
}

function summary({ rows, skipped, sales, withGeometry, rejected }: PartCheck): string {
  const refused = rejected.reduce((sum, { count }) => sum + count, 0);
  const said = [`${rows} rows read`, `${refused} would be rejected`];
  if (skipped > 0) said.push(`${skipped} skipped by skip_where or within`);
  if (withGeometry > 0) said.push(`${withGeometry} with geometry`);
  if (sales > 0) said.push(`${sales} sales`);
  return said.join(', ');
}

function columnsTable(columns: readonly ColumnCheck[], rows: number): string {
  const lines = columns
    .filter(column => !column.absent)
    .map(({ target, unit, from, filled, samples }) => ({
      field: unit === null ? target : `${target} [${unit}]`,
      from: cut(from.join(' + ') || '(fixed)', 28),
      'filled %': Math.round((100 * filled) / Math.max(1, rows)),
      samples: samples
        .map(({ in: raw, out }) => (raw === out ? cut(out, 24) : `${cut(raw, 18)} -> ${cut(out, 18)}`))
        .join(' | '),
    }));
  return table(lines).replaceAll(/^/gm, '  ');
}

function faults(title: string, items: readonly Fault[]): string {
  return list(
    title,
    items.map(
      ({ field, reason, count, rowNo, message }) =>
        `${count} x ${field ?? 'row'} ${reason}, first in row ${rowNo}: ${message}`,
    ),
  );
}

function renderKeys({ checked, matched, unmatched }: NonNullable<FeedCheck['keys']>): string {
  const missing =
    unmatched.length === 0
      ? ''
      : `; not found: ${unmatched.join(', ')}${checked - matched > unmatched.length ? ' …' : ''}`;
  return `keys: ${matched} of the roll's ${checked} are in the shape file${missing}`;
}

const list = (title: string, items: readonly string[]): string =>
  [`${title}:`, ...items.map(item => `  ${item}`)].join('\n');

function wrapped(title: string, items: readonly string[]): string {
  const lines = [`  ${title}:`];
  for (const [i, item] of items.entries()) {
    const text = i === items.length - 1 ? item : `${item},`;
    const last = lines.at(-1)!;
    if (last.length + text.length < 118) lines[lines.length - 1] = `${last} ${text}`;
    else lines.push(`    ${text}`);
  }
  return lines.join('\n');
}

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;
