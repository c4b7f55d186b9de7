import { roundBreaks } from '../../../shared/kernels/figure-classes.ts';
import { listOverlays } from '../../../shared/land/overlay-feeds.ts';
import { acres, percent, usd } from '../../../shared/model/figures.ts';
import { ACCESS_LABELS, ROAD_ACCESS } from '../../../shared/model/land-layers.ts';
import { NEEDS, type Need } from '../../../shared/model/loaded-data.ts';
import type { Overlay } from '../../../shared/model/overlays.ts';
import type { FilterBody } from '../../../shared/parcels/filter/declare-filter.ts';
import type { Selection } from '../../../shared/parcels/filter/filter-selection.ts';
import {
  countClasses,
  findFifths,
  listHitFigures,
  sumClasses,
  sumHits,
  type Total,
} from '../../../shared/parcels/filter/hit-statements.ts';
import { type Asking, selectParcels } from '../../../shared/parcels/filter/select-parcels.ts';
import { readValueClasses } from '../../../shared/parcels/map-statements.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { joined } from '../../v1/parcels/filter/filter-hits.ts';
import { rangesOf } from '../parts/county-legend.tsx';
import { colorsOf } from './overlay-colors.ts';

export type Color = {
  name: string;
  label: string;
  /** SQL expression for the figure. `f` is the result's row in parcel_filters. */
  figure: string;
  join: string;
  needs?: Need;
} & (
  | {
      /** Labels for the figures 0, 1, 2, and so on. */
      kinds: readonly string[];
      /** Their colors. An overlay has its own, as #rrggbb. */
      swatches?: readonly string[];
    }
  | {
      /** Where classes start. If omitted, each class has about a fifth of the results. */
      breaks?: readonly number[];
      shown(figure: number): string;
    }
);

export const NO_FIGURE = { figure: 'null', join: '' };

export const VALUATION = joined('valuations', 'worth');

const MEASURED_ACCESS = ROAD_ACCESS.filter(access => access !== 'unknown');

export const COLORS: readonly Color[] = [
  {
    name: 'value_per_acre',
    label: 'Estimated value per acre',
    needs: NEEDS.estimates,
    figure: 'worth.mean_adjusted_ppa',
    join: VALUATION,
    shown: usd,
  },
  { name: 'acres', label: 'Acres', figure: 'f.effective_acres', join: '', shown: acres },
  {
    name: 'owner',
    label: 'Owner',
    needs: NEEDS.owners,
    figure: `case when f.owner_occupied then 0 when f.corporate_owner then 1 when f.out_of_state_owner then 2
      when f.out_of_state_owner is not null then 3 end`,
    join: '',
    kinds: ['Owner-occupied', 'Company', 'Out-of-state individual', 'In-state individual'],
  },
  {
    name: 'slope',
    label: 'Average slope',
    needs: NEEDS.elevation,
    figure: 'land.mean_slope_percent',
    join: joined('parcel_attributes', 'land'),
    breaks: [5, 10, 15, 25],
    shown: percent,
  },
  {
    name: 'wetlands',
    label: 'Wetlands',
    needs: NEEDS.wetlands,
    figure: 'f.wetlands_percent',
    join: '',
    breaks: [1, 10, 25, 50],
    shown: percent,
  },
  {
    name: 'flood',
    label: 'Flood zone',
    needs: NEEDS.flood,
    figure: 'f.flood_zone_percent',
    join: '',
    breaks: [1, 10, 25, 50],
    shown: percent,
  },
  {
    name: 'buildable',
    label: 'Buildable acres',
    needs: NEEDS.buildable,
    figure: 'f.buildable_acres',
    join: '',
    breaks: [0.5, 1, 5, 20],
    shown: acres,
  },
  {
    name: 'waterfront',
    label: 'Waterfront',
    needs: NEEDS.water,
    figure: 'case f.waterfront when true then 0 when false then 1 end',
    join: '',
    kinds: ['On water', 'Not on water'],
  },
  {
    name: 'access',
    label: 'Road access',
    needs: NEEDS.roads,
    figure: `array_position(array[${MEASURED_ACCESS.map(access => `'${access}'`).join(', ')}], f.access) - 1`,
    join: '',
    kinds: MEASURED_ACCESS.map(access => ACCESS_LABELS[access]),
  },
];

/** The color that the map has if the URL names none. */
const DEFAULT_COLOR = 'value_per_acre';
/** In the URL, the choice of no color. */
export const NO_COLOR = 'none';

/** The colors to choose from, with those of overlays. */
export const colorsWith = (overlays: readonly Overlay[]): Color[] => [
  ...COLORS,
  ...overlays.flatMap(colorsOf),
];

export async function findColor(db: Db, name: string | null): Promise<Color | undefined> {
  const colors = name?.startsWith('overlay.') ? colorsWith(await listOverlays(db)) : COLORS;
  return colors.find(color => color.name === (name ?? DEFAULT_COLOR));
}

export type ColorClass = { from: number; words: string; count: number };

export type Classes = { classes: ColorClass[]; unknown: number };

export async function countHits(db: Db, body: FilterBody, asking: Asking): Promise<Total> {
  return sumHits(db, await selectParcels(body, asking, db));
}

const RAMPS: Record<number, readonly string[]> = {
  1: ['q3'],
  2: ['q2', 'q4'],
  3: ['q1', 'q3', 'q5'],
  4: ['q1', 'q2', 'q4', 'q5'],
  5: ['q1', 'q2', 'q3', 'q4', 'q5'],
};
const KINDS = ['active', 'pending', 'hit', 'sold'];

export const swatchesOf = (by: Color, { classes }: Classes): readonly string[] =>
  'kinds' in by ? (by.swatches ?? KINDS) : (RAMPS[classes.length] ?? []);

export async function readSwatches(
  db: Db,
  by: Color,
  classes: Classes,
  propertyIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await listHitFigures(db, by, propertyIds);
  const swatches = swatchesOf(by, classes);
  return new Map(
    rows.map(({ property_id, figure }) => {
      const at = figure === null ? -1 : classes.classes.findLastIndex(({ from }) => from <= figure);
      return [property_id, swatches[at] ?? 'none'];
    }),
  );
}

/** Where classes start, and how many results are in each. `null` is the class of unknown figures. */
type Counted = { breaks: readonly number[]; counts: Map<number | null, number>; total: Partial<Total> };

/** @param whole how many parcels the county has, if they are all hits */
export async function classifyHits(
  db: Db,
  body: FilterBody,
  asking: Asking,
  color: Color,
  whole?: number,
): Promise<Classes & { total: Partial<Total> }> {
  const { breaks, counts, total } =
    whole !== undefined && color.name === DEFAULT_COLOR
      ? await readStored(db, Number(body.county), whole)
      : await countInClasses(db, await selectParcels(body, asking, db), color, whole);
  const words = 'kinds' in color ? color.kinds : rangesOf(breaks, color.shown);
  return {
    classes: words.map((text, at) => ({
      from: at === 0 ? Number.NEGATIVE_INFINITY : breaks[at - 1]!,
      words: text,
      count: counts.get(at) ?? 0,
    })),
    unknown: counts.get(null) ?? 0,
    total,
  };
}

/** A whole county's values per acre are counted when they are estimated, because reading them all is slow. */
async function readStored(db: Db, fips: number, whole: number): Promise<Counted> {
  const { breaks, counts } = await readValueClasses(db, fips);
  const known = counts.reduce((sum, count) => sum + count, 0);
  return {
    breaks,
    counts: new Map([...counts.entries(), [null, Math.max(0, whole - known)]]),
    total: { count: whole },
  };
}

/** Doesn't add up the acres of a whole county, which takes longer than the rest of the page. */
async function countInClasses(
  db: Db,
  selection: Selection,
  color: Color,
  whole: number | undefined,
): Promise<Counted> {
  const fixed = 'kinds' in color ? color.kinds.slice(1).map((_, i) => i + 1) : color.breaks;
  const breaks = fixed ?? roundBreaks((await findFifths(db, selection, color)) ?? []);
  if (whole === undefined) return { breaks, ...(await sumClasses(db, selection, color, breaks)) };
  return { breaks, counts: await countClasses(db, selection, color, breaks), total: { count: whole } };
}
