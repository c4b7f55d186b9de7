/** What is unusual about a sale, and whether a county's valuation uses it anyway. */
export type SaleFlagOf = { label: string; isUsed: boolean; description: string };

/** Each sale has the first flag that applies. */
export const SALE_FLAGS = {
  left_out: {
    label: 'Left out by an operator',
    isUsed: false,
    description: 'An operator decided not to use the sale.',
  },
  bundle: {
    label: 'Several parcels on one deed',
    isUsed: false,
    description: 'The price covers several parcels, so it is not the price of any one of them.',
  },
  orphan_deed: {
    label: 'Deed with unknown parcels',
    isUsed: false,
    description: 'The deed covers several parcels, but Plat knows only one of them.',
  },
  family: {
    label: 'Within a family',
    isUsed: false,
    description: 'The roll marks the transfer as one within a family.',
  },
  forced: {
    label: 'Forced sale',
    isUsed: false,
    description:
      "The roll's code names a sheriff's sale, a foreclosure, a tax deed, a bankruptcy, or a repossession.",
  },
  unqualified: {
    label: 'Not qualified',
    isUsed: false,
    description: 'The sale of a vacant parcel does not meet the conditions of its feed (`sales.where`).',
  },
  incomplete: {
    label: 'Incomplete record',
    isUsed: false,
    description: 'The sale has no price, date, or location, or its acreage is unknown or below 0.01 acres.',
  },
  duplicate: {
    label: 'Reported by two feeds',
    isUsed: false,
    description: 'Another feed reports the same sale. Plat uses the earlier record.',
  },
  two_dates: {
    label: 'One deed with two dates',
    isUsed: false,
    description:
      'The same parcel has a sale at the same price up to 90 days earlier. Plat uses the earlier record.',
  },
  outlier: {
    label: 'Price outlier',
    isUsed: false,
    description: "The price per acre does not fit the county's sales in the year up to its date.",
  },
  resale: {
    label: 'Resold within 90 days',
    isUsed: true,
    description:
      'The same parcel was sold again within 90 days, at another price. Plat uses both sales, because excluding either one does not improve estimates.',
  },
} as const satisfies Record<string, SaleFlagOf>;

export type SaleFlag = keyof typeof SALE_FLAGS;
export const SALE_FLAG_NAMES = Object.keys(SALE_FLAGS) as [SaleFlag, ...SaleFlag[]];

/**
 * The `sale_type` of a sale of several parcels. Such a sale stays OFF_MARKET, outside comps, statistics, and
 * valuations, so that a later roll that shows it on only one of the parcels doesn't turn it into a comp for
 * that parcel.
 */
export const SEVERAL_PARCELS = 'Deed over several parcels';

/** Prices below this are nominal. */
export const MIN_SALE_PRICE = 1_000;
