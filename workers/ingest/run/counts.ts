/**
 * What happened to the rows of a run; the JSON of `runs.counts`. Every row read is in exactly one place: skipped,
 * rejected, identical, a part, or the row of its input that a parcel or a listing was made of.
 */
export type RunCounts = {
  /** Rows by input: {"roll": 2027, "shape": 2019} or {"listings": …}. */
  read: Record<string, number>;
  /** Rows that the feed's own `skip_where` leaves out. */
  skipped: number;
  /** Rows that were not used, by reason; each is kept in run_rejects. */
  rejected: Record<string, number>;
  /** Single values that were not used, by field, of rows that were; each is kept in run_rejects. */
  dropped: Record<string, number>;
  /** Boundaries that were repaired, by kind of repair. */
  repaired: Record<string, number>;
  /** Rows that repeat another one in everything that is used of them. */
  identical: number;
  /** Rows whose geometry was joined to that of an earlier row of the same key. */
  parts: number;
  /** How many rows fill each mapped field; those of a geometry file as `shape.<field>`. */
  filled: Record<string, number>;
  /** The result of the comparison with what was there, and other figures of the kind of feed. */
  new: number;
  changed: number;
  unchanged: number;
  retired: number;
  returned: number;
  [figure: string]: number | Record<string, number>;
};

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

/** Counts which of the named values a row fills. */
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
