import type { RunCounts } from '../../../shared/feeds/ingest-runs.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { Values } from '../../../shared/platform/named-parameters.ts';
import type { Fragments } from '../../../shared/platform/statements.ts';
import type { RunContext } from './run-context.ts';

export function newCounts(): RunCounts {
  return {
    read: {},
    skipped: 0,
    rejected: {},
    dropped: {},
    repaired: {},
    identical: 0,
    parts: 0,
    filled: {},
    new: 0,
    changed: 0,
    unchanged: 0,
    retired: 0,
    returned: 0,
  };
}

export function increment(counts: Record<string, number>, key: string, by = 1): void {
  counts[key] = (counts[key] ?? 0) + by;
}

export function total(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
}

export function countFilled(
  filled: Record<string, number>,
  names: readonly string[],
  values: readonly unknown[],
): void {
  for (let i = 0; i < values.length; i++) if (values[i] !== null) increment(filled, names[i]!);
}

/** Maximum number of classes listed by name. The rest are counted as 'other'. */
const CLASSES_COUNTED = 40;

/**
 * Counts by class. The object has no prototype, because a file can use any class name, even 'constructor'.
 */
export function newClasses(): Record<string, number> {
  return Object.create(null) as Record<string, number>;
}

export function countClass(classes: Record<string, number>, label: string): void {
  const hasRoom = label in classes || Object.keys(classes).length < CLASSES_COUNTED;
  const name = hasRoom ? label : 'other';
  classes[name] = (classes[name] ?? 0) + 1;
}

/**
 * Records how a run's rows compare with current data, and starts the gate step.
 * @returns the number of rows
 */
export async function measureRows(
  db: Db,
  { counts, step }: RunContext,
  name: string,
  values: Values,
  parts?: Fragments,
): Promise<number> {
  const [row] = await db.run<Record<string, number>>(name, values, parts);
  Object.assign(counts, row);
  await step('gate', 'checking', 0.74);
  return row!.rows!;
}
