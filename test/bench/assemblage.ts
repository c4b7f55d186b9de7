import Flatbush from 'flatbush';
import { boxOf, withMarginE7 } from '../../shared/geo/box.ts';
import { decodeBoundary, encodeBoundary, toE7 } from '../../shared/geo/geometry-codec.ts';
import type { Box } from '../../shared/geo/geometry-types.ts';
import {
  type Assemblage,
  assemblagesOf,
  type Lot,
  NEAR_M,
  nearbyPairs,
  outlineOf,
} from '../../shared/kernels/assemblage.ts';
import { addToGroup } from '../../shared/kernels/groups.ts';
import { type BenchOptions, type BenchResult, judged, median, timed } from './bench.ts';
import { fabric, shapeOf } from './generate/fabric.ts';
import { countyRectangle } from './generate/places.ts';
import { createRandom, seedOf } from './generate/random.ts';
import { DEFAULT_COUNTY } from './generate/roll.ts';

const PARCELS = 200_000;
const ROUNDS = 3;
/** Share of parcels with the owner of the previous one, and with one of the owners of many parcels. */
const SAME_OWNER = 0.35;
const PORTFOLIOS = 0.05;
const MOST = 5;

export type OwnedShape = { id: number; owner: number; box: Box; boundary: Uint8Array };

/** Parcels of a generated county, a third of which have the same owner as a neighbor. */
export function generateOwned(count: number, seed: number): OwnedShape[] {
  const random = createRandom(seedOf(seed, 3));
  const parcels: OwnedShape[] = [];
  let owner = 0;
  for (const section of fabric({ count, seed, extent: countyRectangle(DEFAULT_COUNTY) }))
    for (const { polygons } of section.parcels) {
      const chance = random();
      if (chance < PORTFOLIOS) owner = -1 - Math.floor((random() * count) / 100);
      else if (chance > PORTFOLIOS + SAME_OWNER) owner = parcels.length + 1;
      const boundary = encodeBoundary(shapeOf(polygons));
      const box = boxOf(decodeBoundary(boundary)).map(toE7) as Box;
      parcels.push({ id: parcels.length + 1, owner, box, boundary });
    }
  return parcels;
}

/** Groups the parcels of a county as the job does, owner by owner. */
export function groupOwned(parcels: readonly OwnedShape[]): Map<number, Assemblage> {
  const pairs = nearbyPairs(
    parcels.map(({ owner }) => owner),
    Float64Array.from(parcels.flatMap(({ box }) => box)),
  );
  const byOwner = new Map<number, number[]>();
  for (let i = 0; i < pairs.length; i += 2) {
    const { owner } = parcels[pairs[i]!]!;
    addToGroup(byOwner, owner, pairs[i]!);
    addToGroup(byOwner, owner, pairs[i + 1]!);
  }
  const found = new Map<number, Assemblage>();
  for (const ofOwner of byOwner.values()) {
    const places = new Map([...new Set(ofOwner)].map((parcel, place) => [parcel, place]));
    const lots = [...places.keys()].map((parcel): Lot => {
      const { id, boundary } = parcels[parcel]!;
      const outline = outlineOf(decodeBoundary(boundary));
      return { id, county: 1, boundary: String(id), acres: 1, boundaryAcres: 1, outline };
    });
    const placed = ofOwner.map(parcel => places.get(parcel)!);
    for (const [id, assemblage] of assemblagesOf(lots, placed)) found.set(id, assemblage);
  }
  return found;
}

/**
 * Measures grouping a county's parcels by owner. The reference is the search of the same boxes for each
 * parcel, in the same packed Hilbert R-tree, without looking at owners or boundaries.
 */
export async function bench({ quick, note }: BenchOptions): Promise<BenchResult> {
  const parcels = generateOwned(quick ? PARCELS / 50 : PARCELS, 7);
  let found = new Map<number, Assemblage>();
  let near = 0;
  const ours: number[] = [];
  const reference: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(
      await timed(async () => {
        found = groupOwned(parcels);
      }),
    );
    reference.push(
      await timed(async () => {
        near = searchBoxes(parcels);
      }),
    );
    note(`  ${ours.at(-1)!.toFixed(0)} ms; search of the boxes ${reference.at(-1)!.toFixed(0)} ms`);
  }
  return judged(
    {
      name: `assemblages of ${parcels.length.toLocaleString('en-US')} parcels`,
      reference: "flatbush's search of the same boxes",
      value: median(ours) / median(reference),
      unit: 'x',
      details: {
        ms: median(ours).toFixed(0),
        'reference ms': median(reference).toFixed(0),
        'parcels in a group': found.size,
        'neighbors found by boxes': near,
        'peak memory of the process, MB': (process.resourceUsage().maxRSS / 1024).toFixed(0),
      },
    },
    { most: MOST },
  );
}

function searchBoxes(parcels: readonly OwnedShape[]): number {
  const index = new Flatbush(parcels.length);
  for (const { box } of parcels) index.add(...box);
  index.finish();
  return parcels.reduce((sum, { box }) => sum + index.search(...withMarginE7(box, NEAR_M)).length, 0);
}
