import { describe, expect, test } from 'vitest';
import { box } from '../../../support/frontage-ground.ts';
import { frontageOf, parcel, road, WEST_EAST } from './measure.ts';

// A lot behind a row on the street, with a gap in the row.
const BACK = parcel(1, box(-40, 58, 40, 108));
const rowWithGap = (widthM: number, depthM = 50) => [
  parcel(2, box(-80, 58 - depthM, -widthM / 2, 58)),
  parcel(3, box(widthM / 2, 58 - depthM, 80, 58)),
];
const accessOf = (...others: ReturnType<typeof parcel>[]) =>
  frontageOf(1, [WEST_EAST], [BACK, ...others]).access;

describe('a gap between lots that leads to a road', () => {
  test.each([
    [0, 'none'],
    [3, 'none'],
    [5.03, 'unmapped'],
    [16, 'unmapped'],
    [30, 'unmapped'],
    // Open land, which is too wide to be a way.
    [31, 'none'],
  ])('%d m wide: %s', (widthM, access) => {
    expect(accessOf(...rowWithGap(widthM))).toBe(access);
  });

  test('gives no frontage', () => {
    const { highwayFt, normalFt, localFt } = frontageOf(1, [WEST_EAST], [BACK, ...rowWithGap(10)]);
    expect(highwayFt + normalFt + localFt).toBe(0);
  });

  test('counts if the road is private, too', () => {
    const lane = road('private', [-200, 0], [200, 0]);
    expect(frontageOf(1, [lane], [BACK, ...rowWithGap(10)]).access).toBe('unmapped');
  });

  test("doesn't count if a parcel closes it", () => {
    expect(accessOf(...rowWithGap(10), parcel(4, box(-5, 30, 5, 32)))).toBe('none');
  });

  test("doesn't count if it leads nowhere, or farther than a lot is deep", () => {
    expect(frontageOf(1, [], [BACK, ...rowWithGap(10)]).access).toBe('none');
    const street = road('local', [-200, -30], [200, -30]);
    expect(frontageOf(1, [street], [BACK, ...rowWithGap(10, 80)]).access).toBe('none');
  });

  test('counts if it has a bend', () => {
    // Leads west from the lot's side, then south.
    const bent = [
      parcel(2, box(-60, 8, 60, 58)),
      parcel(3, box(-120, 8, -66, 120)),
      parcel(4, box(-60, 64, -46, 120)),
    ];
    const lot = parcel(1, box(-46, 64, 40, 108));
    expect(frontageOf(1, [WEST_EAST], [lot, ...bent]).access).toBe('unmapped');
  });

  test('open land next to a lot, such as a lake, is not a way', () => {
    expect(accessOf(parcel(2, box(-80, 8, 80, 58)))).toBe('none');
  });
});

describe('a strip drawn as a parcel', () => {
  const row = (halfM: number) => [...rowWithGap(2 * halfM), parcel(9, box(-halfM, 8, halfM, 58))];

  test('leads to the road if it is 8 times as long as it is wide', () => {
    expect(accessOf(...row(3))).toBe('unmapped');
  });

  test('is a lot that blocks the way if it is wider', () => {
    expect(accessOf(...row(4))).toBe('none');
  });

  test('is landlocked itself if there is no road', () => {
    const strip = parcel(1, box(-3, 8, 3, 58));
    expect(frontageOf(1, [], [strip, ...rowWithGap(6)]).access).toBe('none');
  });
});
