import { describe, expect, test } from 'vitest';
import { box } from '../../../support/frontage-ground.ts';
import { ring } from '../../../support/rings.ts';
import { expectMeters, frontageOf, parcel, road, shape, WEST_EAST } from './measure.ts';

describe('the way between a lot and its road', () => {
  test("a public way of any width within the reach doesn't block", () => {
    // 60 m wide: the centerline is 30 m from the front, just within reach of a normal road.
    const lot = parcel(1, box(0, 29.9, 30, 80));
    expectMeters(frontageOf(1, [road('normal', [-200, 0], [200, 0])], [lot]), { normal: 30 });
  });

  test.each([
    ['highway', 60],
    ['normal', 30],
    ['local', 25],
  ] as const)('the reach of a %s is %d m', (name, reachM) => {
    const roads = [road(name, [-200, 0], [200, 0])];
    const inside = frontageOf(1, roads, [parcel(1, box(0, reachM - 0.01, 30, 120))]);
    const outside = frontageOf(1, roads, [parcel(1, box(0, reachM + 0.01, 30, 120))]);
    expectMeters(inside, { [name]: 30 });
    expectMeters(outside, {});
    expect(outside.access).toBe('none');
  });

  test('a strip of another parcel blocks the lot', () => {
    const parcels = [parcel(1, box(0, 10, 30, 60)), parcel(2, box(-10, 8, 40, 10))];
    const frontage = frontageOf(1, [WEST_EAST], parcels);
    expectMeters(frontage, {});
    expect(frontage.access).toBe('none');
    expectMeters(frontageOf(2, [WEST_EAST], parcels), { local: 50 });
  });

  test('a strip along half of the front blocks half of it', () => {
    const parcels = [parcel(1, box(0, 10, 30, 60)), parcel(2, box(15, 8, 40, 10))];
    expectMeters(frontageOf(1, [WEST_EAST], parcels), { local: 15 });
  });

  test('an arm of the lot itself blocks whatever lies behind it', () => {
    // An L with a yard of 20 m behind its arm: of 50 m, the 30 m of the front and the arm's
    // own 20 m count, once.
    const lot = ring('0 10, 50 10, 50 13, 30 13, 30 20, 50 20, 50 60, 0 60');
    expectMeters(frontageOf(1, [WEST_EAST], [parcel(1, lot)]), { local: 50 });
  });

  test("a private drive that isn't mapped doesn't count, and doesn't block: it is a corridor", () => {
    // The lot beside the drive faces the street with its front of 20 m and not the drive.
    const parcels = [
      parcel(1, box(5, 8, 25, 58)),
      parcel(2, box(-25, 8, -5, 58)),
      parcel(3, box(-25, 58, 25, 108)),
    ];
    expectMeters(frontageOf(1, [WEST_EAST], parcels), { local: 20 });
    expect(frontageOf(3, [WEST_EAST], parcels).access).toBe('unmapped');
  });
});

describe('lots without a street', () => {
  const outer = parcel(1, box(0, 8, 200, 208), box(80, 100, 120, 140));
  const island = parcel(2, box(80, 100, 120, 140));

  test('a parcel within another is landlocked', () => {
    expect(frontageOf(2, [WEST_EAST], [outer, island]).access).toBe('none');
  });

  test('not if a public road reaches it across the other', () => {
    // The road runs 20 m into the island: both of its sides count, 40 m.
    const easement = road('local', [100, 0], [100, 120]);
    const frontage = frontageOf(2, [WEST_EAST, easement], [outer, island]);
    expectMeters(frontage, { local: 40 });
    expect(frontage.access).not.toBe('none');
  });

  test('nor if one ends at its boundary', () => {
    const frontage = frontageOf(2, [WEST_EAST, road('local', [100, 0], [100, 100])], [outer, island]);
    expect(frontage.access).not.toBe('none');
  });

  test('all parcels are landlocked without a road', () => {
    expect(frontageOf(1, [], [outer, island]).access).toBe('none');
  });

  test('the boundary of a hole faces a road inside the hole', () => {
    // A square of 40 m around a public lane that comes from nowhere: 30 m of lane, 10 m off three
    // sides of the hole.
    const lane = road('local', [90, 120], [110, 120]);
    const around = parcel(1, box(0, 0, 200, 200), box(80, 110, 120, 130));
    // North and south side: 20 m beside the lane and at its ends as far as 52.5 degrees from straight across,
    // 10 m * tan(52.5) = 13.03, of which 10 m are left of the side. East and west: 10 m beyond the ends, all
    // 20 m within 45 degrees.
    expectMeters(frontageOf(1, [lane], [around]), { local: 40 + 40 + 20 + 20 });
  });
});

describe('a road through a parcel', () => {
  test('counts on both sides', () => {
    // 100 m of centerline inside, twice; the boundary that it crosses runs away from it.
    const frontage = frontageOf(1, [WEST_EAST], [parcel(1, box(0, -80, 100, 80))]);
    expectMeters(frontage, { local: 200 });
    expect(frontage.access).not.toBe('none');
  });

  test('counts once if nothing of the parcel is left beyond it', () => {
    // Mapped 3 m inside of the front, less than half a narrow way.
    expectMeters(frontageOf(1, [WEST_EAST], [parcel(1, box(0, -3, 100, 80))]), { local: 100 });
  });

  test('under two names counts as one', () => {
    const roads = [WEST_EAST, road('normal', [200, 0], [-200, 0])];
    expectMeters(frontageOf(1, roads, [parcel(1, box(0, -80, 100, 80))]), { normal: 200 });
  });

  test('counts for every part of a parcel with several', () => {
    // Two parts on either side of the way, 30 and 40 m of front.
    const parts = { id: 1, shape: [...shape(box(0, 8, 30, 58)), ...shape(box(0, -58, 40, -8))] };
    expectMeters(frontageOf(1, [WEST_EAST], [parts]), { local: 70 });
  });
});
