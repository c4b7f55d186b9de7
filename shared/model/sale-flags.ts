/** What is unusual about a sale, and whether the county's valuation uses the sale anyway. */
export type SaleFlagOf = { label: string; isUsed: boolean; description: string };

/** A sale has only the first of these flags that applies to it. */
export const SALE_FLAGS = {
  left_out: {
    label: 'Excluded by an operator',
    isUsed: false,
    description: 'An operator excluded the sale.',
  },
  bundle: {
    label: 'Several parcels on one deed',
    isUsed: false,
    description: 'The price covers several parcels, so it is not the price of any one of them.',
  },
  orphan_deed: {
    label: 'Deed with unknown parcels',
    isUsed: false,
    description: 'The deed covers several parcels, but Plat has a sale record for only one of them.',
  },
  family: {
    label: 'Family transfer',
    isUsed: false,
    description: 'The roll marks the sale as a transfer between family members.',
  },
  forced: {
    label: 'Forced sale',
    isUsed: false,
    description:
      "The roll's code indicates a sheriff's sale, foreclosure, tax deed, bankruptcy, or repossession.",
  },
  unqualified: {
    label: 'Not qualified',
    isUsed: false,
    description: "The sale of a vacant parcel does not meet its feed's conditions (`sales.where`).",
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
      'Another record shows the same parcel sold at the same price up to 90 days earlier. Plat treats both records as one deed with two dates, and uses the earlier one.',
  },
  outlier: {
    label: 'Price outlier',
    isUsed: false,
    description: "The price per acre is out of line with the county's sales in the year up to the sale date.",
  },
  resale: {
    label: 'Resold within 90 days',
    isUsed: true,
    description:
      'The same parcel was sold again within 90 days at a different price. Plat uses both sales, because excluding either one does not improve estimates.',
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
