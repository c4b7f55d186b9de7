/** What the API, the command line, and the workers all need to know about a kind of feed. */
type FeedKindWords = {
  /**
   * Description of the data in the feed schema. Consecutive kinds with the same text are described together.
   */
  doc: string;
  name: string;
  /** What its rows are called in counts. Default: "rows". */
  rows?: string;
  /** Sections of a feed file that name a source, with the help text for overriding it in `plat feed run`. */
  inputs: Readonly<Record<string, string>>;
  /**
   * Whether it is a land layer. One version of each feed is used at a time, and the operator can remove the
   * layer.
   */
  isLayer?: true;
  /** Whether a run reads only the headers of the files. */
  readsHeaders?: true;
  /** Whether land, statistics, or values are computed after a merge. */
  isComputed?: true;
};

const MEASURED = 'layers used to measure parcels';
const DRAWN = 'place names and ZIP areas, shown on the map';
const FEATURES = { layer: 'file or URL of the layer, for this run only' };

/** The kinds of feed. `workers/ingest/kinds/` has a folder for each, with its feed format and its run. */
export const FEED_KINDS = {
  assessor: {
    doc: 'parcels',
    name: 'assessor roll',
    rows: 'parcels',
    inputs: {
      roll: "file or URL of the roll instead of the feed's, for this run only",
      shape: 'file or URL of the boundaries, for this run only',
    },
    isComputed: true,
  },
  listings: {
    doc: 'listings and sales',
    name: 'sales and listings',
    rows: 'listings',
    inputs: { listings: 'file or URL of the listings, for this run only' },
    isComputed: true,
  },
  elevation: {
    doc: MEASURED,
    name: 'elevation',
    rows: 'tiles',
    inputs: { elevation: 'one elevation file or URL, for this run only' },
    isLayer: true,
    readsHeaders: true,
    isComputed: true,
  },
  roads: { doc: MEASURED, name: 'roads', inputs: FEATURES, isLayer: true, isComputed: true },
  wetlands: { doc: MEASURED, name: 'wetlands', inputs: FEATURES, isLayer: true, isComputed: true },
  flood: { doc: MEASURED, name: 'flood zones', inputs: FEATURES, isLayer: true, isComputed: true },
  water: { doc: MEASURED, name: 'water', inputs: FEATURES, isLayer: true, isComputed: true },
  overlay: { doc: MEASURED, name: 'overlays', inputs: FEATURES, isLayer: true, isComputed: true },
  places: { doc: DRAWN, name: 'place names', inputs: FEATURES, isLayer: true },
  zips: { doc: DRAWN, name: 'ZIP areas', inputs: FEATURES, isLayer: true },
  imagery: {
    doc: 'aerial imagery shown behind parcels',
    name: 'aerial imagery',
    inputs: { imagery: 'one imagery file or URL, for this run only' },
    isLayer: true,
    readsHeaders: true,
  },
  contacts: {
    doc: 'people and their phone numbers',
    name: 'contacts',
    inputs: { contacts: 'file or URL of the contacts, for this run only' },
  },
  numbering: {
    doc: 'blocks of phone numbers',
    name: 'phone numbering',
    inputs: { numbering: 'file or URL of the phone number blocks, for this run only' },
  },
  county_facts: {
    doc: 'facts about counties, such as population and income',
    name: 'county facts',
    rows: 'counties',
    inputs: { county_facts: 'file or URL of the county facts, for this run only' },
  },
  dnc: {
    doc: 'the Do Not Call Registry',
    name: 'Do Not Call list',
    inputs: { dnc: 'file or URL of one Do Not Call list, for this run only' },
  },
} as const satisfies Record<string, FeedKindWords>;

export type FeedKindName = keyof typeof FEED_KINDS;
export const FEED_KIND_NAMES = Object.keys(FEED_KINDS) as FeedKindName[];

/** Looks up a kind by its name in table `feeds`. Undefined for a kind that exists only in another release. */
export const feedKindWords = (kind: string): FeedKindWords | undefined =>
  (FEED_KINDS as Record<string, FeedKindWords>)[kind];

/** Every section of a feed file that names a source. */
export type Input = { [Kind in FeedKindName]: keyof (typeof FEED_KINDS)[Kind]['inputs'] }[FeedKindName];
export const INPUT_WORDS = Object.assign(
  {},
  ...Object.values(FEED_KINDS).map(({ inputs }) => inputs),
) as Record<Input, string>;
export const INPUTS = Object.keys(INPUT_WORDS) as Input[];

/** Land layers, both those that parcels are measured on and those that are only drawn. */
export type LandKind = {
  [Kind in FeedKindName]: (typeof FEED_KINDS)[Kind] extends { isLayer: true } ? Kind : never;
}[FeedKindName];
export const isLayer = (kind: string): kind is LandKind => feedKindWords(kind)?.isLayer ?? false;
export const LAND_KINDS: readonly LandKind[] = FEED_KIND_NAMES.filter(isLayer);
