import { join } from 'node:path';
import { boxOf } from '../../shared/geo/box.ts';
import { prepareOverlap } from '../../shared/kernels/overlap.ts';
import { measureBuildable, newSteepOutline } from '../../shared/land/measure-buildable.ts';
import { openElevation } from '../../shared/raster/elevation-grid.ts';
import { readTileHeader } from '../../shared/raster/tiff-header.ts';
import { type Bench, judged, median } from './bench.ts';
import { fabric, shapeOf } from './generate/fabric.ts';
import { generateWetlands } from './overlap.ts';
import { EXTENT, measure, type Times, writeGrid } from './slope.ts';

const PARCELS = 100_000;
const ROUNDS = 3;
/** Polygons of each layer. */
const POLYGONS = 5_000;
const QUICK_SHARE = 50;

/**
 * Measures the buildable land of a county's parcels on a 10 m grid, with three layers of polygons that
 * overlap each other, compared with their slope shares on the same grid in the same run. Workers measure both
 * in one pass, so the value is the CPU time that buildable land adds to that pass.
 */
export const bench: Bench = async ({ quick, folder, note }) => {
  const signal = new AbortController().signal;
  const count = quick ? PARCELS / QUICK_SHARE : PARCELS;
  note(`generating ${count} parcels, their grid, and their layers`);
  const parcels = [...fabric({ count, seed: 5, extent: EXTENT })].flatMap(section =>
    section.parcels.map(parcel => parcel.polygons),
  );
  const path = join(folder, 'buildable-grid.tif');
  writeGrid(path, parcels);
  const tile = await readTileHeader(path, {}, { signal });
  const whole = boxOf(parcels.flatMap(parcel => shapeOf(parcel)));
  const [wetlands, flood, water] = [1, 2, 3].map(seed =>
    generateWetlands(quick ? POLYGONS / QUICK_SHARE : POLYGONS, whole, seed),
  );

  const ours: Times[] = [];
  const slopes: Times[] = [];
  let limited = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    const forSlope = openElevation([tile], { signal });
    slopes.push(
      await measure(async () => {
        for (const parcel of parcels) await forSlope.terrainOf(shapeOf(parcel));
      }),
    );
    await forSlope.close();
    limited = 0;
    const elevation = openElevation([tile], { signal });
    ours.push(
      await measure(async () => {
        const layers = {
          wetlands: prepareOverlap(wetlands!),
          flood_zone: prepareOverlap(flood!),
          water: prepareOverlap(water!),
        };
        for (const parcel of parcels) {
          const shape = shapeOf(parcel);
          const outline = newSteepOutline(shape);
          await elevation.terrainOf(shape, outline);
          const figures = measureBuildable(shape, outline.ground!, layers);
          if (figures.buildable_percent! < 100) limited++;
        }
      }),
    );
    await elevation.close();
    note(`round ${round}: ${ours.at(-1)!.ms.toFixed(0)} ms, slope ${slopes.at(-1)!.ms.toFixed(0)} ms`);
  }
  const cpu = (times: readonly Times[]) => median(times.map(({ cpuMs }) => cpuMs));
  return judged(
    {
      name: `buildable land of ${count} parcels`,
      reference: 'the slope pass on the same grid, in CPU time. Buildable land is measured in the same pass',
      value: (cpu(ours) - cpu(slopes)) / cpu(slopes),
      unit: 'x',
      details: {
        ms: Math.round(median(ours.map(({ ms }) => ms))),
        slope_ms: Math.round(median(slopes.map(({ ms }) => ms))),
        cpu_ms: Math.round(cpu(ours)),
        slope_cpu_ms: Math.round(cpu(slopes)),
        'parcels in part': limited,
      },
    },
    { most: 2.5 },
  );
};
