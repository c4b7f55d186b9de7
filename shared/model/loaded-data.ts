import type { LayerKind } from './land-layers.ts';

/** The data loaded for a county: its coverage, and the roll fields that have a value for any parcel. */
export type LoadedData = {
  coverage: {
    sources: readonly { kind: string }[];
    with_owner: number;
    with_sale: number;
    with_values: number;
    valuations_as_of: string | null;
  };
  filled: ReadonlySet<string>;
};

/** Data that a filter needs. `words` goes before "data", as in "No wetlands data". */
export type Need = { words: string; isLoaded(data: LoadedData): boolean };

const layer = (words: string, ...kinds: LayerKind[]): Need => ({
  words,
  isLoaded: ({ coverage }) => kinds.every(kind => coverage.sources.some(source => source.kind === kind)),
});

export const NEEDS = {
  roads: layer('road', 'roads'),
  wetlands: layer('wetlands', 'wetlands'),
  flood: layer('flood zone', 'flood'),
  water: layer('water', 'water'),
  overlays: layer('overlay', 'overlay'),
  elevation: layer('slope', 'elevation'),
  buildable: layer('slope, wetlands, or flood zone', 'elevation', 'wetlands', 'flood'),
  owners: { words: 'owner', isLoaded: ({ coverage }) => coverage.with_owner > 0 },
  sales: { words: 'sales', isLoaded: ({ coverage }) => coverage.with_sale > 0 },
  values: { words: 'assessed value', isLoaded: ({ coverage }) => coverage.with_values > 0 },
  estimates: { words: 'estimated value', isLoaded: ({ coverage }) => coverage.valuations_as_of !== null },
  sellers: onRoll('seller_name', 'seller'),
  taxYears: onRoll('tax_delinquent_year', 'tax delinquency'),
  taxFlags: onRoll('tax_delinquent', 'tax delinquency'),
} as const satisfies Record<string, Need>;

/** The data needed for a roll field. */
export function onRoll(field: string, words: string): Need {
  return { words, isLoaded: ({ filled }) => filled.has(field) };
}
