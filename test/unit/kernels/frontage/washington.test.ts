import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Position } from '../../../../shared/geo/geometry-types.ts';
import { prepareBoundary } from '../../../../shared/geo/prepare-geometry.ts';
import { type Frontage, prepareFrontage, type Road } from '../../../../shared/kernels/frontage/frontage.ts';
import { rootDir } from '../../../../shared/platform/root.ts';
import { readMap, readRoll } from '../../../support/raw-sample.ts';

// The assessor of Washington, New Hampshire, values frontage beyond what a house lot needs: XSFRONTAGE,
// "excess frontage", is set for one parcel of nine, in steps of 200 feet. It is most often what is left of
// our figure above the first 200 feet, in whole steps. It counts on private and unmaintained roads, too,
// which our sample's feed does not.
const STEP_FT = 200;
const FIRST_FT = 200;
const REACH = { highway: 60, normal: 30, local: 25, private: 25 };
const SAMPLE = join(rootDir, 'workers/sample');

/** The assessor's figure, and ours on the roads that count and on every road of the map. */
type Compared = { excessFt: number; countingFt: number; allFt: number };

let parcels: Frontage[];
let compared: Compared[];

beforeAll(() => {
  const { layer } = parse(readFileSync(join(SAMPLE, 'feeds/washington-nh-roads.yaml'), 'utf8'));
  const classes = layer.columns.class.values as Record<string, Road['class']>;
  const { features } = JSON.parse(
    gunzipSync(readFileSync(join(SAMPLE, 'data/washington_nh/roads.geojson.gz'))).toString(),
  ) as { features: { geometry: { coordinates: Position[] }; properties: { class: string } }[] };
  const counting: Road[] = [];
  const all: Road[] = [];
  for (const { geometry, properties } of features) {
    const name = classes[properties.class]!;
    counting.push({ class: name, line: geometry.coordinates });
    all.push({ class: name === 'private' ? 'local' : name, line: geometry.coordinates });
  }

  const map = [...readMap()].flatMap(([key, geometries]) =>
    geometries.flatMap(geometry => {
      const prepared = prepareBoundary(geometry);
      return prepared.ok ? [{ key, shape: prepared.polygons }] : [];
    }),
  );
  const neighbors = map.map(({ shape }, id) => ({ id, shape }));
  const ours = prepareFrontage(counting, neighbors, REACH);
  const onAll = prepareFrontage(all, neighbors, REACH);
  parcels = neighbors.map(({ id }) => ours.of(id));

  const excess = new Map(readRoll().map(row => [row.key, Number(row.XSFRONTAGE)]));
  compared = map.flatMap(({ key }, id) => {
    const excessFt = excess.get(key) ?? 0;
    if (!(excessFt > 0)) return [];
    return [{ excessFt, countingFt: totalFt(parcels[id]!), allFt: totalFt(onAll.of(id)) }];
  });
});

const totalFt = ({ highwayFt, normalFt, localFt }: Frontage) => highwayFt + normalFt + localFt;

test('half of the parcels have frontage, and most others have access by the private roads around the lakes', () => {
  expect(parcels.length).toBeGreaterThan(2000);
  expect(parcels.filter(({ normalFt }) => normalFt > 0).length).toBe(168);
  expect(parcels.filter(({ localFt }) => localFt > 0).length).toBe(950);
  const reached = (by: string) => parcels.filter(({ access }) => access === by).length;
  expect([reached('unmapped'), reached('none')]).toEqual([24, 181]);
});

test("with every road on the map, our figure follows the assessor's, and is in the same class for two of five", () => {
  const { n, errorFt, correlation, sameStep } = comparison(compared, ({ allFt }) => allFt);
  // Measured: 233 feet, 0.797 and 92. Where the two are far apart the assessor leaves out
  // most of a long front.
  expect(n).toBe(239);
  expect(errorFt).toBeLessThan(245);
  expect(correlation).toBeGreaterThan(0.79);
  expect(sameStep).toBeGreaterThanOrEqual(88);
});

test('with the roads that count, our figure agrees if no other road serves the parcel', () => {
  const served = compared.filter(({ countingFt, allFt }) => Math.abs(countingFt - allFt) < 1);
  const { n, errorFt, correlation, sameStep } = comparison(served, ({ countingFt }) => countingFt);
  // Measured: 124 parcels, 137 feet, 0.790 and 61.
  expect(n).toBeGreaterThan(115);
  expect(errorFt).toBeLessThan(150);
  expect(correlation).toBeGreaterThan(0.78);
  expect(sameStep).toBeGreaterThanOrEqual(57);
});

/**
 * How our frontage beyond the first feet compares with the assessor's: median absolute error, Spearman's
 * correlation, equal steps.
 */
function comparison(list: readonly Compared[], ourFt: (of: Compared) => number) {
  const pairs = list.map(each => ({ theirs: each.excessFt, ours: Math.max(0, ourFt(each) - FIRST_FT) }));
  return {
    n: pairs.length,
    errorFt: median(pairs.map(({ theirs, ours }) => Math.abs(ours - theirs))),
    correlation: rankCorrelation(pairs),
    sameStep: pairs.filter(({ theirs, ours }) => Math.floor(ours / STEP_FT) * STEP_FT === theirs).length,
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/** Spearman's: Pearson's correlation of the ranks, equal values sharing the mean of theirs. */
function rankCorrelation(pairs: { theirs: number; ours: number }[]): number {
  const [a, b] = [ranks(pairs.map(({ theirs }) => theirs)), ranks(pairs.map(({ ours }) => ours))];
  const mean = (pairs.length - 1) / 2;
  const sum = (f: (i: number) => number) => pairs.reduce((total, _, i) => total + f(i), 0);
  const covariance = sum(i => (a[i]! - mean) * (b[i]! - mean));
  return covariance / Math.sqrt(sum(i => (a[i]! - mean) ** 2) * sum(i => (b[i]! - mean) ** 2));
}

function ranks(values: readonly number[]): number[] {
  return values.map(value => {
    const below = values.filter(other => other < value).length;
    const same = values.filter(other => other === value).length;
    return below + (same - 1) / 2;
  });
}
