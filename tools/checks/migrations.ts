import { kindOf, LAST_WITHOUT_KIND } from '../../shared/platform/migrate.ts';
import type { SourceFile } from './files.ts';

/** Changes that break the previous release, which still reads the old names and omits new columns. */
const BREAKS: readonly [RegExp, string][] = [
  [/\bdrop\s+(?:table|view|column)\b/i, 'drops a table or column'],
  [/\brename\b/i, 'renames something'],
  [/\bset\s+not\s+null\b/i, 'makes a column required'],
  [/\balter\s+(?:column\s+)?"?\w+"?\s+(?:set\s+data\s+)?type\b/i, "changes a column's type"],
  [
    /\badd\s+column\s+(?:if\s+not\s+exists\s+)?(?![^,;]*\b(?:default|generated)\b)[^,;]*\bnot\s+null\b/i,
    'adds a required column without a default',
  ],
];

/**
 * Each new migration must state whether the previous release keeps working, and must not obviously contradict
 * that statement.
 */
export function checkMigrations(files: SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const version = Number(/^sql\/migrations\/(\d{4})_/.exec(path)?.[1] ?? 0);
    if (version <= LAST_WITHOUT_KIND) return [];
    const kind = kindOf(text);
    if (kind === undefined)
      return [`${path} must start with \`-- expanding: <what>\` or \`-- breaking: <what>\``];
    if (kind === 'breaking') return [];
    const statements = text.replaceAll(/--[^\n]*/g, '');
    return BREAKS.filter(([pattern]) => pattern.test(statements)).map(
      ([, what]) => `${path} says it is expanding, but ${what}: the previous release would fail`,
    );
  });
}
