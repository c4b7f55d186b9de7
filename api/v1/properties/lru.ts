/** Keeps values up to a number of bytes: those that were not used for longest are given up first. */
export type Lru<Key, Value> = {
  get(key: Key): Value | undefined;
  /** One larger than all the room is not kept. */
  set(key: Key, value: Value): void;
  delete(key: Key): void;
};

/** @param sizeOf bytes of an entry; must stay as it was when the entry was made. */
export function openLru<Key, Value extends object>(
  maxBytes: number,
  sizeOf: (value: Value) => number,
): Lru<Key, Value> {
  /** The longest unused first. */
  const entries = new Map<Key, Value>();
  let bytes = 0;

  function remove(key: Key): void {
    const value = entries.get(key);
    if (value === undefined) return;
    bytes -= sizeOf(value);
    entries.delete(key);
  }

  return {
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      remove(key);
      entries.set(key, value);
      bytes += sizeOf(value);
      for (const oldest of entries.keys()) {
        if (bytes <= maxBytes) break;
        remove(oldest);
      }
    },
    delete: remove,
  };
}
