/** What is loaded for a county: its coverage, and the fields that its rolls have a value of. */
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

/** What a filter reads, in words, and whether a county has it. */
export type Need = { words: string; isLoaded(data: LoadedData): boolean };

const layer = (kind: 'roads' | 'wetlands' | 'flood' | 'elevation', words: string): Need => ({
  words,
  isLoaded: ({ coverage }) => coverage.sources.some(source => source.kind === kind),
});

export const NEEDS = {
  roads: layer('roads', 'roads'),
  wetlands: layer('wetlands', 'wetlands'),
  flood: layer('flood', 'flood zones'),
  elevation: layer('elevation', 'slopes'),
  owners: { words: 'owners', isLoaded: ({ coverage }) => coverage.with_owner > 0 },
  sales: { words: 'sales', isLoaded: ({ coverage }) => coverage.with_sale > 0 },
  values: { words: 'assessed values', isLoaded: ({ coverage }) => coverage.with_values > 0 },
  estimates: { words: 'estimates', isLoaded: ({ coverage }) => coverage.valuations_as_of !== null },
  sellers: onRoll('seller_name', 'sellers'),
  taxYears: onRoll('tax_delinquent_year', 'delinquent taxes'),
  taxFlags: onRoll('tax_delinquent', 'delinquent taxes'),
} as const satisfies Record<string, Need>;

/** A field of the roll. */
export function onRoll(field: string, words: string): Need {
  return { words, isLoaded: ({ filled }) => filled.has(field) };
}
