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
