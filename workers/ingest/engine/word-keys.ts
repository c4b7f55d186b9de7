import type { SourceRow } from '../../formats/row-batch.ts';

/** Parcels with this many parts are rare. Lots that share a word as key, such as COMMON or ROAD, aren't. */
const MANY_PARTS = 10;

/** Features by key, for keys without digits other than 0, such as "NA". They often mean "no parcel". */
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
            `${part}: ${count} features share the key ${key} and become one parcel. If this key means "no parcel", skip them with ${part}.skip_where.`,
        ),
  };
}
