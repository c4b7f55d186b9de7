import type { SourceRow } from '../../formats/row-batch.ts';

/** Few parcels have as many parts. Roads or common land that share a word for a key do. */
const MANY_PARTS = 10;

/** Features by key, of keys without a digit but 0, such as "NA": they often stand for no parcel. */
export function wordKeys() {
  const features = new Map<string, number>();
  return {
    note({ geometry }: SourceRow, key: string): void {
      if (geometry === null || /[1-9]/.test(key)) return;
      features.set(key, (features.get(key) ?? 0) + 1);
    },
    warnings: (part: string): string[] =>
      [...features]
        .filter(([, count]) => count >= MANY_PARTS)
        .map(
          ([key, count]) =>
            `${part}: the key ${key} stands on ${count} features, which become one parcel. If it means that there is none, leave them out with ${part}.skip_where.`,
        ),
  };
}
