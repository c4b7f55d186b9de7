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
export type Need = {
  words: string;
  isLoaded(data: LoadedData): boolean;
  /** The needs that this one combines. */
  parts?: readonly Need[];
};

const layer = (words: string, kind: LayerKind): Need => ({
  words,
  isLoaded: ({ coverage }) => coverage.sources.some(source => source.kind === kind),
});

const ELEVATION = layer('slope', 'elevation');
const WETLANDS = layer('wetlands', 'wetlands');
const FLOOD = layer('flood zone', 'flood');

export const NEEDS = {
  roads: layer('road', 'roads'),
  wetlands: WETLANDS,
  flood: FLOOD,
  water: layer('water', 'water'),
  overlays: layer('overlay', 'overlay'),
  elevation: ELEVATION,
  buildable: together(ELEVATION, WETLANDS, FLOOD),
  owners: { words: 'owner', isLoaded: ({ coverage }) => coverage.with_owner > 0 },
  sales: { words: 'sales', isLoaded: ({ coverage }) => coverage.with_sale > 0 },
  values: { words: 'assessed value', isLoaded: ({ coverage }) => coverage.with_values > 0 },
  estimates: { words: 'estimated value', isLoaded: ({ coverage }) => coverage.valuations_as_of !== null },
  sellers: onRoll('seller_name', 'seller'),
  taxYears: onRoll('tax_delinquent_year', 'tax delinquency'),
  taxFlags: onRoll('tax_delinquent', 'tax delinquency'),
} as const satisfies Record<string, Need>;

function together(...parts: Need[]): Need {
  return {
    words: parts.map(({ words }) => words).join(' and '),
    isLoaded: data => parts.every(part => part.isLoaded(data)),
    parts,
  };
}

/** The data needed for a roll field. */
export function onRoll(field: string, words: string): Need {
  return { words, isLoaded: ({ filled }) => filled.has(field) };
}
