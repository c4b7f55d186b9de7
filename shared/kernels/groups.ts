/** Adds to the list of a key, which begins with it. (Map.groupBy is Node 21's.) */
export function addTo<Key, Item>(groups: Map<Key, Item[]>, key: Key, item: Item): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
}

/** How many of the ascending are below `value`, those equal to it included where asked. */
export function countBelow(ascending: ArrayLike<number>, value: number, orEqual: boolean): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = ascending[middle]!;
    if (at < value || (orEqual && at === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}
