import type { RunCounts } from '../../../shared/runs.ts';

export function newCounts(): RunCounts {
  return {
    ...{ read: {}, skipped: 0, rejected: {}, dropped: {}, repaired: {}, identical: 0, parts: 0, filled: {} },
    ...{ new: 0, changed: 0, unchanged: 0, retired: 0, returned: 0 },
  };
}

export function bump(counts: Record<string, number>, key: string, by = 1): void {
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
  for (let i = 0; i < values.length; i++) if (values[i] !== null) bump(filled, names[i]!);
}

/** As many classes as a person reads; what comes beyond is counted as 'other'. */
const CLASSES_COUNTED = 40;

/** Counts by class, without a prototype: a file may call a class anything, 'constructor' too. */
export function newClasses(): Record<string, number> {
  return Object.create(null) as Record<string, number>;
}

export function bumpClass(classes: Record<string, number>, label: string): void {
  const known = label in classes || Object.keys(classes).length < CLASSES_COUNTED;
  const name = known ? label : 'other';
  classes[name] = (classes[name] ?? 0) + 1;
}
