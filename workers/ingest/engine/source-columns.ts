import { PlatError } from '../../../shared/platform/errors.ts';
import { nearMatches } from '../../../shared/platform/near-words.ts';
import type { ColumnSpec } from '../../feeds/column-schema.ts';
import type { SkipCondition } from '../../feeds/feed.ts';
import { alternatives, columnNamesOf } from '../../feeds/feed-columns.ts';
import { areValues, columnsCalled, NO_HEADER } from '../../formats/column-names.ts';
import type { SourceRow } from '../../formats/row-batch.ts';

/** dBASE, and therefore shapefiles, truncate column names to this many characters. */
const DBASE_NAME_LENGTH = 10;

/** The source's spelling of a column name, or null if it has no such column. */
export type Resolve = (name: string) => string | null;

export function columnsOf(rows: Iterable<SourceRow>): string[] {
  const names = new Set<string>();
  for (const row of rows) for (const name in row.values) names.add(name);
  return [...names];
}

/**
 * Finds columns by their exact name, in a different case, or truncated by dBASE. With `sparse`, other names
 * are kept as they are.
 */
export function resolver(columns: readonly string[], { sparse = false } = {}): Resolve {
  const exact = new Set(columns);
  const folded = new Map<string, string>();
  for (const column of columns)
    if (!folded.has(column.toLowerCase())) folded.set(column.toLowerCase(), column);
  return name => {
    const base = baseName(name);
    if (exact.has(base)) return base;
    const lower = base.toLowerCase();
    return folded.get(lower) ?? folded.get(lower.slice(0, DBASE_NAME_LENGTH)) ?? (sparse ? base : null);
  };
}

/** The 'Media' in 'Media[].MediaURL'. */
function baseName(name: string): string {
  const list = name.indexOf('[].');
  return list < 0 ? name : name.slice(0, list);
}

export type Mention = { where: string; column: string; optional: boolean };

export function columnMentions(columns: Partial<Record<string, ColumnSpec>>): Mention[] {
  return Object.entries(columns).flatMap(([name, spec]) =>
    alternatives(spec ?? {}).flatMap(way =>
      columnNamesOf(way).map(column => ({
        where: `columns.${name}`,
        column,
        optional: (spec?.optional ?? false) || (way.optional ?? false),
      })),
    ),
  );
}

export const conditionMentions = (where: string, conditions: readonly SkipCondition[]): Mention[] =>
  conditions.map(({ column, optional = false }) => ({ where, column, optional }));

/** @throws PlatError `feed_mapping` with the missing columns and those that the source has */
export function checkColumns(mentions: readonly Mention[], columns: readonly string[]): void {
  const resolve = resolver(columns);
  const missing = mentions.filter(({ column, optional }) => !optional && resolve(column) === null);
  if (missing.length === 0) return;
  const details: Record<string, string[]> = {};
  const headless = areValues(columns) ? ` Or ${NO_HEADER}.` : '';
  const problems = missing.map(({ where, column }) => {
    const message = missingColumn(baseName(column), columns) + headless;
    details[where] = [...(details[where] ?? []), message];
    return `${where}: ${message}`;
  });
  throw new PlatError('feed_mapping', problems.join('\n'), { details });
}

function missingColumn(name: string, columns: readonly string[]): string {
  const called = columnsCalled(name, columns);
  if (called.length > 0)
    return `${called.length} columns of the source are called ${name}; choose one by its position: ${called.join(' or ')}.`;
  const near = nearMatches(name, columns);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `its columns: ${listed(columns)}.`;
  return `the source has no column ${name}; ${hint}`;
}

function listed(columns: readonly string[]): string {
  const shown = columns.slice(0, 20).join(', ');
  return columns.length > 20 ? `${shown} and ${columns.length - 20} more` : shown || 'none';
}
