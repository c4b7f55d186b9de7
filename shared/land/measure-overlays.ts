import { withMargin } from '../geo/box.ts';
import type { Box, MultiPolygon } from '../geo/geometry-types.ts';
import { M_PER_FT } from '../geo/units.ts';
import type { NearFeature, PreparedNearest } from '../kernels/nearest-feature.ts';
import type { PreparedShares, Region, Shares } from '../kernels/overlap.ts';
import { round2 } from '../kernels/stats/rounding.ts';
import type { Overlay, ParcelOverlay } from '../model/overlays.ts';
import type { OverlayFeature, OverlayLayer } from './read-overlays.ts';

export type PreparedOverlays = {
  /** @param names the overlays that cover the parcel */
  of(shape: MultiPolygon, names: ReadonlySet<string>): ParcelOverlay[];
};

export type OverlayKernels = {
  prepareShares(regions: readonly Region[], groups: number): PreparedShares;
  prepareNearest(features: readonly NearFeature[], limitM: number, within: Box): PreparedNearest;
};

/** Where the shares of an overlay and of its classes are in the kernel's groups. */
type Groups = { overlay: Overlay; any: number; classes: Map<string, number> };

/** @param around the box of the parcels to measure */
export function prepareOverlays(
  { overlays, features: unordered }: OverlayLayer,
  around: Box,
  kernels: OverlayKernels,
): PreparedOverlays {
  // In a fixed order, so that the nearest of equally close features is always the same one.
  const features = [...unordered].sort((a, b) => compareText(a.name ?? '', b.name ?? ''));
  let count = 0;
  const groups = overlays.map((overlay): Groups => {
    const any = count++;
    const found = new Set(features.flatMap(({ values }) => classIn(values, overlay) ?? []));
    return { overlay, any, classes: new Map([...found].sort().map(name => [name, count++])) };
  });
  const areas = features.filter(({ shape }) => shape.length > 0);
  const shares = kernels.prepareShares(
    areas.map(feature => toRegion(feature, groups)),
    count,
  );
  const measured = groups.map(group => ({
    ...group,
    nearest: prepareDistances(group.overlay, features, around, kernels),
  }));
  return {
    of(shape, names) {
      const found = shares.of(shape);
      return measured.flatMap(({ overlay, any, classes, nearest }) => {
        if (!names.has(overlay.name)) return [];
        const percents = [...classes]
          .map(([name, group]) => ({ name, percent: round2(found.groups[group]!) }))
          .filter(({ percent }) => percent > 0)
          .sort((a, b) => b.percent - a.percent || compareText(a.name, b.name));
        return {
          overlay: overlay.name,
          percent: round2(found.groups[any]!),
          classes: percents.map(({ name }) => name),
          percents: percents.map(({ percent }) => percent),
          ...nearest(shape, found, areas),
          numbers: meansOf(overlay, found, areas),
        };
      });
    },
  };
}

const classIn = (values: OverlayFeature['values'], { name }: Overlay): string | undefined =>
  values[name] as string | undefined;

function toRegion({ shape, values }: OverlayFeature, groups: readonly Groups[]): Region {
  const own = groups.flatMap(({ overlay, any, classes }) => {
    const name = classIn(values, overlay);
    return name === undefined ? [] : [any, classes.get(name)!];
  });
  return { shape, groups: own };
}

type Distance = Pick<ParcelOverlay, 'nearest_ft' | 'nearest_name'>;
const NO_DISTANCE: Distance = { nearest_ft: null, nearest_name: null };

/** The distance to the nearest feature. The area that has most of the parcel is nearest, at 0 feet. */
function prepareDistances(
  overlay: Overlay,
  features: readonly OverlayFeature[],
  around: Box,
  kernels: OverlayKernels,
): (shape: MultiPolygon, found: Shares, areas: readonly OverlayFeature[]) => Distance {
  const { distance_ft: limitFt } = overlay;
  if (limitFt === null) return () => NO_DISTANCE;
  const own = features.filter(({ values }) => classIn(values, overlay) !== undefined);
  const limitM = limitFt * M_PER_FT;
  const nearest: PreparedNearest = kernels.prepareNearest(
    own.map(({ lines }) => lines),
    limitM,
    withMargin(around, limitM),
  );
  return (shape, found, areas) => {
    const inside = [...found.regions]
      .filter(([i]) => classIn(areas[i]!.values, overlay) !== undefined)
      .sort(([i, a], [j, b]) => b - a || i - j)[0];
    if (inside !== undefined) return { nearest_ft: 0, nearest_name: areas[inside[0]]!.name };
    const near = nearest.of(shape);
    if (near === null) return NO_DISTANCE;
    return { nearest_ft: round2(near.meters / M_PER_FT), nearest_name: own[near.feature]!.name };
  };
}

/** Means by area, over the part of the parcel where a number is known. */
function meansOf(
  { numbers }: Overlay,
  { regions }: Shares,
  areas: readonly OverlayFeature[],
): ParcelOverlay['numbers'] {
  const means: ParcelOverlay['numbers'] = {};
  for (const { name } of numbers) {
    let [area, sum] = [0, 0];
    for (const [i, share] of regions) {
      const value = areas[i]!.values[name];
      if (typeof value !== 'number') continue;
      area += share;
      sum += share * value;
    }
    if (area > 0) means[name] = round2(sum / area);
  }
  return means;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
