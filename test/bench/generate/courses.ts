import type { Course } from './cut.ts';
import { normal, type Random } from './random.ts';

/** A surveyed line with a few bends: each off the chord by about `amplitude` of its length. */
export function bent(random: Random, bends: number, amplitude = 0.012): Course {
  return (dx, dy) =>
    Array.from({ length: bends }, (_, i) => {
      const share = (i + 0.75 + 0.5 * random()) / (bends + 1);
      const off = amplitude * normal(random);
      return [share * dx - off * dy, share * dy + off * dx];
    });
}

/**
 * A boundary along a creek: midpoint displacement (Fournier, Fussell and Carpenter 1982) in `levels` halvings, so
 * 2^levels - 1 points. Points go forward along the chord, so the line never crosses itself.
 */
export function creek(random: Random, levels: number): Course {
  return (dx, dy) => {
    let offsets = [0, 0];
    let amplitude = 0.06;
    for (let level = 0; level < levels; level++) {
      const finer = [0];
      for (let i = 1; i < offsets.length; i++) {
        const middle = (offsets[i - 1]! + offsets[i]!) / 2;
        finer.push(middle + amplitude * normal(random), offsets[i]!);
      }
      offsets = finer;
      amplitude *= 0.55;
    }
    const last = offsets.length - 1;
    return offsets.slice(1, last).map((off, i) => {
      const share = (i + 1) / last;
      return [share * dx - off * dy, share * dy + off * dx];
    });
  };
}
