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

/** By field, as the API names and shows it, what it was and what it is. */
export type ChangedFields = Record<string, [was: unknown, is: unknown]>;

/** How long changes are told. They are deleted a day later, so that a page under way misses none. */
export const CHANGES_DAYS = 400;
