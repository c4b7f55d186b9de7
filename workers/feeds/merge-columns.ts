import type { ColumnSpec } from './column-schema.ts';
import type { Columns } from './feed.ts';

type Given = string | ColumnSpec | null | undefined;

/**
 * The feed's own columns win over those of a preset or a default; null removes one. Those of a preset may be missing in
 * a file: exports leave columns out.
 */
export function mergeColumns<Target extends string>(
  preset: Partial<Record<Target, Given>>,
  own: Partial<Record<Target, Given>>,
): Columns<Target> {
  const merged: Columns<Target> = {};
  for (const [target, spec] of entries(preset)) {
    if (spec !== null && own[target] === undefined) merged[target] = { ...longForm(spec), optional: true };
  }
  for (const [target, spec] of entries(own)) {
    if (spec !== null) merged[target] = longForm(spec);
  }
  return merged;
}

function entries<Target extends string>(
  columns: Partial<Record<Target, Given>>,
): [Target, string | ColumnSpec | null][] {
  return (Object.entries(columns) as [Target, Given][]).filter(
    (entry): entry is [Target, string | ColumnSpec | null] => entry[1] !== undefined,
  );
}

const longForm = (spec: string | ColumnSpec): ColumnSpec =>
  typeof spec === 'string' ? { column: spec } : spec;
