import { type Neighbor, prepareFrontage, type Road } from '../../shared/kernels/frontage/frontage.ts';
import { plainFrontage } from '../support/plain-frontage.ts';
import { type Bench, judged, median, timed } from './bench.ts';
import { fabric, shapeOf } from './generate/fabric.ts';

type Fronted = ReturnType<ReturnType<typeof plainFrontage>['of']>;

const PARCELS = 100_000;
const QUICK_PARCELS = 2_000;
const SEED = 5;
/**
 * The reference would take minutes for all parcels, so it measures one in SAMPLED parcels, spread over the
 * county. Its time is multiplied by SAMPLED.
 */
const SAMPLED = 100;
const QUICK_SAMPLED = 10;
const ROUNDS = 3;
const REACH = { highway: 60, normal: 30, local: 25, private: 25 };

/**
 * Measures the road frontage of the parcels in a county, compared with a naive implementation of the
 * definition that checks every half meter of boundary against indexes of segments and parcels. Both times
 * include preparation (the plane, the indexes), which the reference also does for all parcels.
 */
export const bench: Bench = async ({ quick, note }) => {
  const count = quick ? QUICK_PARCELS : PARCELS;
  const step = quick ? QUICK_SAMPLED : SAMPLED;
  note(`generating ${count} parcels and their roads`);
  const parcels: Neighbor[] = [];
  const roads: Road[] = [];
  // A rectangle in Penobscot County, Maine. The generated parcels fill its middle.
  for (const section of fabric({ count, seed: SEED, extent: [-69.35, 44.7, -68.2, 45.5] })) {
    for (const { polygons } of section.parcels)
      parcels.push({ id: parcels.length, shape: shapeOf(polygons) });
    roads.push(...section.roads);
  }

  const ours: number[] = [];
  const theirs: number[] = [];
  let withFrontage = 0;
  const sampled = parcels.filter((_, i) => i % step === 0);
  for (let round = 0; round < ROUNDS; round++) {
    let fast: Fronted[] = [];
    ours.push(
      await timed(async () => {
        const prepared = prepareFrontage(roads, parcels, REACH);
        fast = parcels.map(({ id }) => prepared.of(id));
      }),
    );
    withFrontage = fast.filter(
      ({ highwayFt, normalFt, localFt }) => highwayFt + normalFt + localFt > 0,
    ).length;
    let plain: Fronted[] = [];
    let read: ReturnType<typeof plainFrontage> | undefined;
    const preparing = await timed(async () => {
      read = plainFrontage(roads, parcels, REACH);
    });
    const reading = await timed(async () => {
      plain = sampled.map(({ id }) => read!.of(id));
    });
    theirs.push(preparing + reading * (parcels.length / sampled.length));
    for (const [i, frontage] of plain.entries()) compare(frontage, fast[i * step]!);
    note(`round ${round + 1}: ${Math.round(ours[round]!)} ms, plainly ${Math.round(theirs[round]!)} ms`);
  }
  return judged(
    {
      name: `road frontage of ${count} parcels`,
      reference: `a plain reading of the definition, of every ${step}th parcel`,
      value: median(theirs) / median(ours),
      unit: 'x',
      details: {
        'ms, frontage': Math.round(median(ours)),
        'ms, plain reading': Math.round(median(theirs)),
        'segments of road': roads.reduce((sum, { line }) => sum + line.length - 1, 0),
        'parcels with frontage': withFrontage,
        'parcels compared': sampled.length,
      },
    },
    { least: 10 },
  );
};

function compare(plain: Fronted, fast: Fronted): void {
  for (const key of ['highwayFt', 'normalFt', 'localFt'] as const) {
    if (Math.abs(plain[key] - fast[key]) > 1e-6)
      throw new Error(`${key} is ${fast[key]}, plainly ${plain[key]}`);
  }
  // The plain implementation doesn't check for corridors.
  const access = fast.access === 'unmapped' ? 'none' : fast.access;
  if (plain.access !== access) throw new Error('access differs from the plain implementation');
}
