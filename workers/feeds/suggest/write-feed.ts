import { stringify } from 'yaml';
import type { Overlap } from '../../../shared/feeds/file-feeds.ts';
import type { InputSection } from '../../formats/format-input.ts';
import type { ColumnSpec } from '../column-schema.ts';
import { displayValue } from '../values/text-value.ts';
import type { Candidate } from './column-profile.ts';
import { MIN_CONFIDENCE, type Suggestion, type Suggestions } from './suggest-columns.ts';

/** The top of a feed file. */
export type FeedHead = {
  name: string;
  kind: string;
  preset?: string | undefined;
  /** Five digits. Null if the rows don't show it. */
  fips: string | null;
  fipsWhy?: string | null | undefined;
  title?: string | undefined;
  attribution?: string | undefined;
  licence?: string | undefined;
  disabled?: boolean | undefined;
  overlap?: Overlap | undefined;
};

/** One line of YAML, whatever the value contains. */
export const inline = (value: unknown): string =>
  stringify(value, { collectionStyle: 'flow', lineWidth: 0, doubleQuotedAsJSON: true })
    .trim()
    .replace(/\n\s*/g, ' ');

const comment = (text: string): string => `# ${displayValue(text)}`;

/** The top of a feed file: its first comment, name, kind, county, and terms. */
export function feedHead(head: FeedHead, about: readonly string[]): string[] {
  const { kind, fips, fipsWhy, disabled, ...texts } = head;
  const lines = about.map(line => (line === '' ? '#' : `# ${line.replace(/\s+/g, ' ')}`));
  const given = {
    name: texts.name,
    kind,
    preset: texts.preset,
    title: texts.title,
    attribution: texts.attribution,
    licence: texts.licence,
    overlap: texts.overlap,
  };
  for (const [name, value] of Object.entries(given))
    if (value !== undefined) lines.push(`${name}: ${inline(value)}`);
  lines.push(
    fips === null
      ? '# fips: not found in the file; enter the county'
      : `fips: "${fips}"${fipsWhy ? `  # ${fipsWhy}` : ''}`,
  );
  if (disabled) lines.push('disabled: true');
  return lines;
}

export function inputLines(input: InputSection): string[] {
  return Object.entries(input).flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name}: ${inline(value)}`],
  );
}

const percent = (confidence: number): string => `${Math.floor(100 * confidence)}%`;
const short = (spec: ColumnSpec): unknown =>
  Object.keys(spec).length === 1 && spec.column !== undefined ? spec.column : spec;
const named = ({ columns, confidence }: Candidate): string =>
  `${displayValue(columns.join(' + '))} (${percent(confidence)})`;

const lineOfKey = (key: Suggestions['key']): string =>
  key === null
    ? '  # key: not found; enter the column or columns that identify a parcel'
    : `  key: ${inline(key.columns[0])}  # ${percent(key.confidence)}: ${key.why}`;

export const plainColumnLines = (columns: Readonly<Record<string, ColumnSpec>>): string[] => [
  '  columns:',
  ...Object.entries(columns).map(([field, spec]) => `    ${field}: ${inline(short(spec))}`),
];

/** Suggestions by field name, for any kind of feed. */
type Named = Pick<Suggestions, 'key'> & { fields: (Omit<Suggestion, 'field'> & { field: string })[] };

/** The columns of a source with their confidence. Comments list the next-best candidates. */
export function columnLines({ key, fields }: Named, keyLine = lineOfKey(key)): string[] {
  const lines = [keyLine, '  columns:'];
  const mapped = fields.filter(field => field.mapped !== null);
  if (mapped.length === 0) lines[1] = '  columns: {}';
  for (const { field, mapped: best, others } of mapped) {
    const also = others.length === 0 ? '' : `; or ${others.slice(0, 3).map(named).join(', ')}`;
    lines.push(
      `    ${field}: ${inline(short(best!.spec))}  # ${percent(best!.confidence)}: ${best!.why}${also}`,
    );
  }
  const unsure = fields.filter(field => field.mapped === null && field.others.length > 0);
  if (unsure.length > 0)
    lines.push(`    ${comment(`Not mapped, because confidence is below ${percent(MIN_CONFIDENCE)}:`)}`);
  for (const { field, others } of unsure) {
    const [first, ...more] = others;
    const also = more.length === 0 ? '' : `; or ${more.slice(0, 2).map(named).join(', ')}`;
    lines.push(
      `    # ${field}: ${inline(short(first!.spec))}  # ${percent(first!.confidence)}: ${first!.why}${also}`,
    );
  }
  return lines;
}
