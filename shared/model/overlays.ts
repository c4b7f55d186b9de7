/** Overlays: layers of any data that operators declare in feeds, such as zoning or soils. */

/** `features` is the number of features in the class. */
export type OverlayClass = { class: string; label: string; color: string; features: number };
export type OverlayNumber = { name: string; label: string; unit: string | null };

/** What a feed declares about an overlay. */
export type Overlay = {
  name: string;
  label: string;
  /** A sentence to show with the figures, such as how far to trust them. */
  note?: string | undefined;
  /** Distances to the nearest feature are measured up to this, or not at all if it is null. */
  distance_ft: number | null;
  classes: OverlayClass[];
  numbers: OverlayNumber[];
};

/** A parcel's figures in an overlay that covers it. Classes are sorted by share, largest first. */
export type ParcelOverlay = {
  overlay: string;
  /** Share of the parcel in features of any class. */
  percent: number;
  classes: string[];
  percents: number[];
  /** Null if no feature is within the overlay's distance. */
  nearest_ft: number | null;
  nearest_name: string | null;
  /** Means by area. A number that is unknown everywhere on the parcel is missing. */
  numbers: Record<string, number>;
};

/** Ten miles. */
export const MAX_DISTANCE_FT = 52_800;
export const MAX_CLASSES = 100;
export const MAX_CLASS_CHARS = 60;
export const OVERLAY_NAME = /^[a-z][a-z0-9_]{0,39}$/;

/** Tableau's 10 colors for categories. */
const PALETTE = [
  '#4e79a7',
  '#f28e2b',
  '#59a14f',
  '#b07aa1',
  '#edc948',
  '#76b7b2',
  '#e15759',
  '#9c755f',
  '#ff9da7',
  '#bab0ac',
] as const;

export const paletteColor = (position: number): string => PALETTE[position % PALETTE.length]!;

/** The overlays of several feeds. If feeds declare an overlay differently, the later ones win. */
export function joinOverlays(declared: readonly Overlay[]): Overlay[] {
  const joined = new Map<string, Overlay>();
  for (const overlay of declared) {
    const other = joined.get(overlay.name);
    const distances = [other?.distance_ft, overlay.distance_ft].filter(feet => feet != null);
    joined.set(overlay.name, {
      ...overlay,
      distance_ft: distances.length === 0 ? null : Math.max(...distances),
      classes: joinClasses(other?.classes ?? [], overlay.classes),
      numbers: [
        ...new Map([...(other?.numbers ?? []), ...overlay.numbers].map(item => [item.name, item])).values(),
      ],
    });
  }
  return [...joined.values()];
}

function joinClasses(first: readonly OverlayClass[], second: readonly OverlayClass[]): OverlayClass[] {
  const joined = new Map(first.map(item => [item.class, item]));
  for (const item of second) {
    const features = (joined.get(item.class)?.features ?? 0) + item.features;
    joined.set(item.class, { ...item, features });
  }
  return [...joined.values()];
}
