/**
 * The candidates that are most similar to `wanted`, best first. Handles typos and field names that differ
 * between years.
 */
export function nearMatches(wanted: string, candidates: Iterable<string>, limit = 3): string[] {
  const target = plain(wanted);
  return [...candidates]
    .map(name => ({ name, distance: likeness(target, plain(name)) }))
    .filter(({ distance }) => distance < 0.5)
    .sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, limit)
    .map(({ name }) => name);
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9$]/g, '');

/**
 * Distance between names: 0 if equal, 1 if they have nothing in common. Names are close if one starts with
 * the other, because dBASE truncates names to 10 characters.
 */
function likeness(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length >= 3 && b.length >= 3 && (a.startsWith(b) || b.startsWith(a))) return 0.2;
  return edits(a, b) / Math.max(a.length, b.length, 1);
}

function edits(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(previous[j]! + 1, row[j - 1]! + 1, replaced));
    }
    previous = row;
  }
  return previous[b.length]!;
}
