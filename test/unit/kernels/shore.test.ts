import { describe, expect, test } from 'vitest';
import { prepareShore, type Water } from '../../../shared/kernels/shore.ts';
import { box, groundAt, type XY } from '../../support/frontage-ground.ts';

// Lots and lakes drawn in meters. A lake north of y = 0.
const { shape } = groundAt([-72, 43]);
const LAKE: Water = { name: 'Long Pond', shape: shape(box(-300, 0, 300, 400)) };

function shoreOf(lot: XY[], waters: readonly Water[] = [LAKE]) {
  const around = shape(lot);
  const { feet, name } = prepareShore(waters, [around]).of(around);
  return { meters: feet * 0.3048, name };
}

/** Allows for a piece of half a meter at either end of a stretch. */
const about = (meters: number) => expect.closeTo(meters, -0.7);

describe('a lot on a lake', () => {
  test.each([0, 0.03, 2, 4.9])('%d m from the water has shore along its front', gapM => {
    expect(shoreOf(box(0, -60, 40, -gapM))).toEqual({ meters: about(40), name: 'Long Pond' });
  });

  test.each([0.03, 3, 8, 60])('drawn %d m into the water has the shore between its side lines', intoM => {
    expect(shoreOf(box(0, -60, 40, intoM))).toEqual({ meters: about(40), name: 'Long Pond' });
  });

  test('more than 5 m away has none', () => {
    expect(shoreOf(box(0, -60, 40, -5.1))).toEqual({ meters: 0, name: null });
  });

  test('that touches it only at a corner has none', () => {
    const corner: XY[] = [
      [0, -1],
      [30, -70],
      [-30, -70],
    ];
    expect(shoreOf(corner)).toEqual({ meters: 0, name: null });
  });

  test('on an island has shore all around', () => {
    const island = box(-20, 100, 20, 140);
    const lake = { name: 'Long Pond', shape: shape(box(-300, 0, 300, 400), island) };
    expect(shoreOf(island, [lake])).toEqual({ meters: about(160), name: 'Long Pond' });
  });

  test('that is cut in two at a county line counts each part once', () => {
    const halves = [box(-300, 0, 20, 400), box(20, 0, 300, 400)].map(half => ({
      name: 'Long Pond',
      shape: shape(half),
    }));
    expect(shoreOf(box(0, -60, 40, 50), halves)).toEqual({ meters: about(40), name: 'Long Pond' });
  });
});

test('a pond inside a parcel, away from its boundary, has no shore', () => {
  const pond = { name: 'Mud Pond', shape: shape(box(-20, -20, 20, 20)) };
  expect(shoreOf(box(-100, -100, 100, 100), [pond])).toEqual({ meters: 0, name: null });
});

test('a lake drawn as a parcel has no shore', () => {
  for (const offM of [-1, 0, 1])
    expect(shoreOf(box(-300 + offM, offM, 300 + offM, 400 + offM)).meters).toBe(0);
});

test('the name is that of the named water that has most of the shore', () => {
  const river = { name: null, shape: shape(box(40, -400, 60, 0)) };
  const brook = { name: 'Mill Brook', shape: shape(box(-20, -50, 0, 0)) };
  const all = shoreOf(box(0, -60, 40, 0), [LAKE, river, brook]);
  expect(all).toEqual({ meters: about(40 + 60 + 50), name: 'Mill Brook' });
  expect(shoreOf(box(0, -60, 40, -10), [river])).toEqual({ meters: about(50), name: null });
});

test('no water, no shore', () => {
  expect(shoreOf(box(0, -60, 40, 0), [])).toEqual({ meters: 0, name: null });
});
