import { expect, test } from 'vitest';
import { computeChunk, LAND_KERNELS, type LandKernels } from '../../../shared/land/compute-land.ts';
import type { Layer, MarkedParcel } from '../../../shared/land/marked-layers.ts';
import type { LandInput } from '../../../shared/land/read-land.ts';
import { PlatError } from '../../../shared/platform/errors.ts';

const LAYER: Layer = {
  feed_id: 1,
  kind: 'elevation',
  run_id: 7,
  fips: null,
  reach_m: null,
  overlays: null,
  west: 0,
  south: 0,
  east: 1,
  north: 1,
};

function chunkOf(parcels: number): LandInput {
  const subjects = Array.from({ length: parcels }, (_, i): MarkedParcel => {
    const covering = { elevation: [LAYER], roads: [], wetlands: [], flood: [], water: [], overlay: [] };
    return { id: i, mark: i, layers: 1, shapeHash: '', shape: [], covering, sources: covering };
  });
  const features = { roads: [], neighbors: [], wetlands: [], flood: [], water: [], overlays: [] };
  return { subjects, shapeless: [], ...features, tiles: [] };
}

/** Heights that cannot be read for the first parcels asked for. */
function failing(first: number, error: Error): { kernels: LandKernels; asked(): number } {
  let asked = 0;
  const terrain = { minElevationM: 1, meanElevationM: 2, maxElevationM: 3, meanSlopePercent: 4 };
  const openElevation: LandKernels['openElevation'] = () => ({
    terrainOf: async () => {
      if (++asked <= first) throw error;
      return { ...terrain, steeperPercent: [], knownShare: 1 };
    },
    close: async () => {},
  });
  return { kernels: { ...LAND_KERNELS, openElevation }, asked: () => asked };
}

const { signal } = new AbortController();

test('a damaged elevation file fails the parcels over it, however many, and no others', async () => {
  const { kernels, asked } = failing(20, new PlatError('feed_format', 'dem.tif cannot be decoded'));
  const { parcels, failures } = await computeChunk(chunkOf(30), kernels, { signal });
  expect(asked()).toBe(30);
  expect(parcels.map(row => row.mean_elevation_m)).toEqual([
    ...Array.from({ length: 20 }, () => null),
    ...Array.from({ length: 10 }, () => 2),
  ]);
  expect(parcels.filter(row => row.remaining === 1)).toHaveLength(20);
  expect(failures.map(({ message }) => message)).toEqual([
    expect.stringMatching(/elevation .*\bparcel 0\b.*: dem\.tif cannot be decoded$/),
  ]);
});

test('a server that is down is not queried again for every parcel', async () => {
  const away = new PlatError('feed_source', 'the server did not answer', { retryable: true });
  const { kernels, asked } = failing(30, away);
  const { parcels, failures } = await computeChunk(chunkOf(30), kernels, { signal });
  expect(asked()).toBe(1);
  expect(parcels.every(row => row.remaining === 1)).toBe(true);
  expect(failures).toMatchObject([{ retryable: true }]);
});
