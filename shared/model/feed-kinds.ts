/** What the API, the command line, and the workers all know about a kind of feed. */
type FeedKindWords = {
  /** What it holds, as the feed schema describes it. Neighbors with the same text are described together. */
  doc: string;
  name: string;
  /** What its rows are called in figures. Default: rows. */
  rows?: string;
  /** The sections of a feed file that name a source, with how `plat feed run` describes another one. */
  inputs: Readonly<Record<string, string>>;
  /** A land layer: one version of a feed counts at a time, and the operator can remove it. */
  isLayer?: true;
  /** Only headers of its files are read. */
  readsHeaders?: true;
  /** Land, statistics, or values are computed after a merge. */
  isComputed?: true;
};

const MEASURED = 'what the attributes of the land are computed from';
const DRAWN = 'open water, names of places and areas of ZIP codes, drawn on the map';
const FEATURES = { layer: 'likewise for roads, wetlands or flood zones' };

/**
 * The kinds of feed. A kind's other half, what its feed files say and what a run does with them, is its
 * folder in `workers/ingest/kinds/`.
 */
export const FEED_KINDS = {
  assessor: {
    doc: 'parcels',
    name: 'assessor roll',
    rows: 'parcels',
    inputs: {
      roll: "another source than the feed's, for this run alone",
      shape: 'likewise for the geometry',
    },
    isComputed: true,
  },
  listings: {
    doc: 'listings and sales',
    name: 'sales and listings',
    rows: 'listings',
    inputs: { listings: 'likewise for listings' },
    isComputed: true,
  },
  elevation: {
    doc: MEASURED,
    name: 'elevation',
    rows: 'tiles',
    inputs: { elevation: 'likewise for one elevation file' },
    isLayer: true,
    readsHeaders: true,
    isComputed: true,
  },
  roads: { doc: MEASURED, name: 'roads', inputs: FEATURES, isLayer: true, isComputed: true },
  wetlands: { doc: MEASURED, name: 'wetlands', inputs: FEATURES, isLayer: true, isComputed: true },
  flood: { doc: MEASURED, name: 'flood zones', inputs: FEATURES, isLayer: true, isComputed: true },
  water: { doc: DRAWN, name: 'water', inputs: FEATURES, isLayer: true, isComputed: true },
  places: { doc: DRAWN, name: 'names of places', inputs: FEATURES, isLayer: true },
  zips: { doc: DRAWN, name: 'ZIP codes', inputs: FEATURES, isLayer: true },
  imagery: {
    doc: 'what parcels are drawn on',
    name: 'imagery',
    inputs: { imagery: 'likewise for one file of imagery' },
    isLayer: true,
    readsHeaders: true,
  },
  contacts: {
    doc: 'people with phone numbers',
    name: 'contacts',
    inputs: { contacts: 'likewise for people with phone numbers' },
  },
  numbering: {
    doc: 'blocks of phone numbers',
    name: 'phone numbering',
    inputs: { numbering: 'likewise for blocks of phone numbers' },
  },
  dnc: {
    doc: 'the Do Not Call registry',
    name: 'do-not-call list',
    inputs: { dnc: 'likewise for one list of the Do Not Call registry' },
  },
} as const satisfies Record<string, FeedKindWords>;

export type FeedKindName = keyof typeof FEED_KINDS;
export const FEED_KIND_NAMES = Object.keys(FEED_KINDS) as FeedKindName[];

/** A kind by its name in table `feeds`; undefined when another release wrote it. */
export const feedKindWords = (kind: string): FeedKindWords | undefined =>
  (FEED_KINDS as Record<string, FeedKindWords>)[kind];

/** Every section of a feed file that names a source. */
export type Input = { [Kind in FeedKindName]: keyof (typeof FEED_KINDS)[Kind]['inputs'] }[FeedKindName];
export const INPUT_WORDS = Object.assign(
  {},
  ...Object.values(FEED_KINDS).map(({ inputs }) => inputs),
) as Record<Input, string>;
export const INPUTS = Object.keys(INPUT_WORDS) as Input[];

/** Land layers: those that parcels are measured on, and those that are only drawn. */
export type LandKind = {
  [Kind in FeedKindName]: (typeof FEED_KINDS)[Kind] extends { isLayer: true } ? Kind : never;
}[FeedKindName];
export const isLayer = (kind: string): kind is LandKind => feedKindWords(kind)?.isLayer ?? false;
export const LAND_KINDS: readonly LandKind[] = FEED_KIND_NAMES.filter(isLayer);
