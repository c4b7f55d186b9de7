/** Every advisory lock of the program, so that no two share a number. PostgreSQL keeps pairs apart from single numbers. */
export const LOCKS = {
  /** One process migrates, others wait. */
  migrate: 7_152_801,
  /** One recompute of statistics at a time. */
  marketRecompute: 7_152_802,
  /** With the feed's id: one run of a feed at a time. */
  feed: 7_152_803,
  /** With the county: who writes its owners' words. */
  ownerWords: 7_152_804,
  /** Who creates the partitions of a state. */
  partitions: 7_152_805,
  /** With the county: chunks of attributes share it, a merge of the roll has it alone. */
  countyAttributes: 7_152_806,
  /** With the county: who writes its valuations. */
  countyValuations: 7_152_811,
} as const;
