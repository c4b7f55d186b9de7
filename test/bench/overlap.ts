import { feature, featureCollection, intersect } from '@turf/turf';
import Flatbush from 'flatbush';
import type { Polygon as GeoJsonPolygon, MultiPolygon as GeoJsonShape } from 'geojson';
import { boxOf } from '../../shared/geo/box.ts';
import type { Box, MultiPolygon, Polygon, Position, Ring } from '../../shared/geo/geometry-types.ts';
import { prepareOverlap } from '../../shared/kernels/overlap.ts';
import { type BenchOptions, type BenchResult, judged, median, timed } from './bench.ts';
import { fabric, shapeOf } from './generate/fabric.ts';
import { countyRectangle } from './generate/places.ts';
import { between, createRandom, type Random, seedOf } from './generate/random.ts';
import { DEFAULT_COUNTY } from './generate/roll.ts';

const PARCELS = 100_000;
const POLYGONS = 5_000;
const ROUNDS = 3;
/** The reference would take minutes for all parcels, so it measures one in SAMPLE. */
const SAMPLE = 20;
const MAX_DIFFERENCE = 0.1;
const LEAST = 10;
const HUGE_VERTICES = 50_000;

/**
 * Measures computing the percentage of each parcel in a county that 5,000 polygons cover. The reference is
 * `@turf/intersect` of each parcel with each polygon whose box overlaps its box, which it finds in the same
 * packed Hilbert R-tree. No two polygons overlap, so the reference may add up the areas.
 */
export async function bench({ quick, note }: BenchOptions): Promise<BenchResult> {
  const parcels = generateParcels(quick ? PARCELS / 50 : PARCELS);
  const whole = boxOf(parcels.map(parcel => parcel[0]!));
  const polygons = generateWetlands(quick ? POLYGONS / 50 : POLYGONS, whole);
  note(`  ${parcels.length} parcels, ${polygons.length} polygons of ${polygons.flat(3).length} vertices`);

  let ours: number[] = [];
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    times.push(
      await timed(async () => {
        const { percentOf } = prepareOverlap(polygons);
        ours = parcels.map(percentOf);
      }),
    );
  }
  const some = parcels.filter((_, i) => i % SAMPLE === 0);
  note(`  ${median(times).toFixed(0)} ms; @turf/intersect on ${some.length} parcels`);
  const reference = byTurf(some, polygons);

  let difference = 0;
  for (const [i, percent] of reference.percents.entries()) {
    difference = Math.max(difference, Math.abs(percent - ours[i * SAMPLE]!));
  }
  if (difference > MAX_DIFFERENCE) {
    throw new Error(`A parcel's overlap differs by ${difference} percentage points from @turf/intersect`);
  }
  const share = some.length / parcels.length;
  return judged(
    {
      name: `overlap of ${parcels.length.toLocaleString('en-US')} parcels with ${polygons.length.toLocaleString('en-US')} polygons: times faster`,
      reference: `@turf/intersect per candidate pair after the same index, on one parcel in ${SAMPLE}`,
      value: reference.ms / share / median(times),
      unit: 'x',
      details: {
        ms: median(times).toFixed(0),
        'reference ms': (reference.ms / share).toFixed(0),
        'reference pairs': reference.pairs,
        'parcels with some': ours.filter(percent => percent > 0).length,
        'parcels in part': ours.filter(percent => percent > 0 && percent < 100).length,
        'largest difference, points': difference.toExponential(1),
        [`ms with one polygon of ${HUGE_VERTICES} vertices`]: (await timeHuge(parcels, whole)).toFixed(0),
      },
    },
    { least: LEAST },
  );
}

/** Times all parcels against one outline that winds through the whole county. */
async function timeHuge(parcels: MultiPolygon[], [west, south, east, north]: Box): Promise<number> {
  const center: Position = [(west + east) / 2, (south + north) / 2];
  const reach: Position = [(east - west) / 3, (north - south) / 3];
  const shore = outline(createRandom(seedOf(7, 2)), center, reach, HUGE_VERTICES);
  return timed(async () => {
    const { percentOf } = prepareOverlap([[[shore]]]);
    for (const parcel of parcels) percentOf(parcel);
  });
}

function byTurf(
  parcels: MultiPolygon[],
  polygons: MultiPolygon[],
): { ms: number; pairs: number; percents: number[] } {
  const layer = polygons.map(turfFeature);
  const subjects = parcels.map(turfFeature);
  const index = new Flatbush(polygons.length);
  for (const polygon of polygons) index.add(...boxOf(polygon));
  index.finish();
  let pairs = 0;
  const start = performance.now();
  const percents = parcels.map((parcel, i) => {
    let common = 0;
    for (const candidate of index.search(...boxOf(parcel))) {
      pairs++;
      const met = intersect(featureCollection([subjects[i]!, layer[candidate]!]));
      if (met !== null) common += degreesArea(partsOf(met.geometry));
    }
    return common === 0 ? 0 : (100 * common) / degreesArea(parcel);
  });
  return { ms: performance.now() - start, pairs, percents };
}

const turfFeature = (shape: MultiPolygon) =>
  feature<GeoJsonShape>({ type: 'MultiPolygon', coordinates: shape });

function partsOf(geometry: GeoJsonPolygon | GeoJsonShape): MultiPolygon {
  return (geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates) as MultiPolygon;
}

/** Area in square degrees of valid polygons. */
function degreesArea(polygons: MultiPolygon): number {
  let sum = 0;
  for (const polygon of polygons) {
    const [x0, y0] = polygon[0]![0]!;
    for (const [i, ring] of polygon.entries()) {
      let double = 0;
      for (let k = 1; k < ring.length; k++) {
        const [ax, ay] = ring[k - 1]!;
        const [bx, by] = ring[k]!;
        double += (ax - x0) * (by - y0) - (bx - x0) * (ay - y0);
      }
      sum += ((i === 0 ? 1 : -1) * Math.abs(double)) / 2;
    }
  }
  return sum;
}

export function generateParcels(count: number): MultiPolygon[] {
  const parcels: MultiPolygon[] = [];
  for (const section of fabric({ count, seed: 7, extent: countyRectangle(DEFAULT_COUNTY) })) {
    parcels.push(...section.parcels.map(({ polygons }) => shapeOf(polygons)));
  }
  return parcels;
}

/**
 * Ponds of 12 to 400 vertices, one in ten with an island. Each is in its own grid cell, so that no two
 * overlap.
 */
export function generateWetlands(count: number, [west, south, east, north]: Box, seed = 1): MultiPolygon[] {
  const random = createRandom(seedOf(7, seed));
  const columns = Math.ceil(Math.sqrt(count));
  const width = (east - west) / columns;
  const height = (north - south) / Math.ceil(count / columns);
  return Array.from({ length: count }, (_, i) => {
    const center: Position = [
      west + ((i % columns) + 0.4 + 0.2 * random()) * width,
      south + (Math.floor(i / columns) + 0.4 + 0.2 * random()) * height,
    ];
    const size = 0.05 * 8 ** random();
    const shore = outline(random, center, [size * width, size * height], between(random, 12, 400));
    const pond: Polygon = [shore];
    if (random() < 0.1) {
      pond.push(outline(random, center, [0.2 * size * width, 0.2 * size * height], 12).reverse());
    }
    return [pond];
  });
}

/**
 * A wavy ring on the grid of 1e-7 degrees. Its distance from the center varies from 0.4 to 1 times `reach`.
 */
export function outline(random: Random, center: Position, reach: Position, vertices: number): Ring {
  const waves = Array.from({ length: 5 }, (_, i) => ({ often: 2 + i * i * 3, phase: 7 * random() }));
  const ring = Array.from({ length: vertices }, (_, i): Position => {
    const angle = (2 * Math.PI * i) / vertices;
    let radius = 0.7;
    for (const { often, phase } of waves) radius += 0.06 * Math.sin(often * angle + phase);
    return [
      Math.round((center[0] + radius * reach[0] * Math.cos(angle)) * 1e7) / 1e7,
      Math.round((center[1] + radius * reach[1] * Math.sin(angle)) * 1e7) / 1e7,
    ];
  });
  return [...ring, [...ring[0]!] as Position];
}
