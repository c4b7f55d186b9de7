export const CHANGE_TYPES = [
  'county.loaded',
  'parcel.new',
  'parcel.changed',
  'parcel.retired',
  'parcel.returned',
  'listing.new',
  'listing.changed',
  'listing.gone',
  'land.measured',
  'valuation.moved',
  'stats.written',
] as const;

export type ChangeType = (typeof CHANGE_TYPES)[number];

/** The old and new value of each field, with the API's names and formats. */
export type ChangedFields = Record<string, [was: unknown, is: unknown]>;

/**
 * How many days changes are returned. They are deleted a day later, so that a page in progress misses none.
 */
export const CHANGES_DAYS = 400;
