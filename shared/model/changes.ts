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
 * Number of days that the API returns changes. They are deleted a day later, so that a client that is still
 * reading pages doesn't miss any.
 */
export const CHANGES_DAYS = 400;
