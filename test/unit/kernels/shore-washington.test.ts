import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { prepareBoundary } from '../../../shared/geo/prepare-geometry.ts';
import { prepareShore } from '../../../shared/kernels/shore.ts';
import { rootDir } from '../../../shared/platform/root.ts';
import { readMap, readRoll } from '../../support/raw-sample.ts';

const WATER = join(rootDir, 'workers/sample/data/washington_nh/water.geojson.gz');

const polygonsOf = (geometry: Parameters<typeof prepareBoundary>[0]) => {
  const prepared = prepareBoundary(geometry);
  return prepared.ok ? [prepared.polygons] : [];
};

test("most of Washington's shore lots are ones that its assessor values for waterfront", () => {
  const { features } = JSON.parse(gunzipSync(readFileSync(WATER)).toString()) as {
    features: { properties: { name: string }; geometry: Parameters<typeof prepareBoundary>[0] }[];
  };
  const waters = features.flatMap(({ properties: { name }, geometry }) =>
    polygonsOf(geometry).map(shape => ({ name, shape })),
  );
  const map = [...readMap()].flatMap(([key, geometries]) =>
    geometries.flatMap(polygonsOf).map(shape => ({ key, shape })),
  );
  const prepared = prepareShore(
    waters,
    map.map(({ shape }) => shape),
  );
  const factor = new Map(readRoll().map(row => [row.key, Number(row.WATERFRONT)]));
  const onWater = map.flatMap(({ key, shape }) => {
    const { feet, name } = prepared.of(shape);
    return feet > 0 ? [{ name, valued: (factor.get(key) ?? 0) > 0 }] : [];
  });
  expect(onWater.length).toBe(423);
  expect(onWater.filter(({ valued }) => valued).length).toBe(399);
  expect(onWater.filter(({ name }) => name === 'HIGHLAND LAKE').length).toBe(135);
});
