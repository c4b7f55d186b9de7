import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { boxOf } from '../../shared/geo/box.ts';
import type { Position } from '../../shared/geo/geometry-types.ts';
import { prepareNearest } from '../../shared/kernels/nearest-feature.ts';
import { prepareShares } from '../../shared/kernels/overlap.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { createRandom, seedOf } from './generate/random.ts';
import { generateParcels, generateWetlands } from './overlap.ts';

const [PARCELS, POLYGONS, LINES, CLASSES] = [100_000, 20_000, 2_000, 8];
const LIMIT_M = 1_609.344;

/**
 * Processor time to measure parcels on an overlay: their shares in 20,000 polygons of 8 classes, and the
 * nearest of 2,000 lines. The reference is shapely, which is run by hand on the files that
 * OVERLAY_FILES=folder writes (docs/benchmarks.md).
 */
export async function bench({ quick, note }: BenchOptions): Promise<BenchResult[]> {
  const scale = quick ? 50 : 1;
  const parcels = generateParcels(PARCELS / scale);
  const whole = boxOf(parcels.map(parcel => parcel[0]!));
  const [west, south, east, north] = whole;
  const polygons = [
    ...generateWetlands(POLYGONS / 2 / scale, whole),
    // The second half overlaps the first.
    ...generateWetlands(POLYGONS / 2 / scale, [west + 0.003, south + 0.003, east, north]),
  ];
  const lines = generateLines(LINES / scale, whole);
  const folder = process.env.OVERLAY_FILES;
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true });
    for (const [name, shapes] of Object.entries({ parcels, polygons, lines }))
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(shapes));
  }
  note(`  ${parcels.length} parcels, ${polygons.length} polygons, ${lines.length} lines`);
  const shared = processorMs(() => {
    const regions = polygons.map((shape, i) => ({ shape, groups: [CLASSES, i % CLASSES] }));
    const shares = prepareShares(regions, CLASSES + 1);
    for (const parcel of parcels) shares.of(parcel);
  });
  const near = processorMs(() => {
    const nearest = prepareNearest(
      lines.map(line => [line]),
      LIMIT_M,
      whole,
    );
    for (const parcel of parcels) nearest.of(parcel);
  });
  const result = (name: string, value: number): BenchResult => ({
    name,
    reference: '',
    value,
    unit: 'ms',
    reach: 'shapely in one thread, run by hand',
    pass: true,
    details: {},
  });
  return [result('overlay: shares by class', shared), result('overlay: nearest line', near)];
}

function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function generateLines(count: number, [west, south, east, north]: readonly [number, number, number, number]) {
  const random = createRandom(seedOf(7, 5));
  return Array.from({ length: count }, () => {
    const line: Position[] = [[west + random() * (east - west), south + random() * (north - south)]];
    let heading = 2 * Math.PI * random();
    for (let i = 0; i < 30; i++) {
      heading += (random() - 0.5) * 0.4;
      const [x, y] = line.at(-1)!;
      line.push([x + 0.002 * Math.cos(heading), y + 0.002 * Math.sin(heading)]);
    }
    return line;
  });
}
