/**
 * Whether arrays and objects are nested deeper than this many levels. Checking stops at that depth, so this
 * is safe for values that would overflow the stack.
 */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const inner: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return inner.some(each => isNestedDeeper(each, levels - 1));
}
