/** The most recently used values whose sizes add up to at most `maxBytes`; the last one is kept whatever its size. */
export class ByteLru<T> {
  readonly #entries = new Map<string, { value: T; bytes: number }>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: T, bytes: number): void {
    this.delete(key);
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes || oldest === key) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}

/**
 * The value of a key, loaded once however many ask for it meanwhile; a failed load is forgotten, so that the next one tries again.
 * @param bytes that the value will take
 */
export function loadOnce<T>(
  cache: ByteLru<Promise<T>>,
  key: string,
  bytes: number,
  load: () => Promise<T>,
): Promise<T> {
  const found = cache.get(key);
  if (found !== undefined) return found;
  const loading = load();
  cache.set(key, loading, bytes);
  loading.catch(() => {
    if (cache.get(key) === loading) cache.delete(key);
  });
  return loading;
}
