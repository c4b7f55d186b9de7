/**
 * Seeded pseudo-random numbers: the same seed gives the same rolls and listings on every
 * machine. Not for secrets.
 */

/** Uniform in [0, 1). */
export type Random = () => number;

/**
 * mulberry32 (Tommy Ettinger, public domain): 32 bits of state, period 2^32, passes gjrand; one
 * multiply more than an LCG.
 */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Derives a 32-bit seed from numbers, so that any part of the output (a section corner, an owner) can be
 * generated independently of the others. Mixes as in MurmurHash3 (Austin Appleby, public domain).
 */
export function seedOf(...parts: number[]): number {
  let h = 0x9747b28c;
  for (const part of parts) {
    // Otherwise, numbers above 2^32 would lose their high bits.
    h = mix(mix(h, part | 0), Math.floor(part / 4294967296) | 0);
  }
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

function mix(h: number, part: number): number {
  let k = Math.imul(part, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  h ^= Math.imul(k, 0x1b873593);
  h = (h << 13) | (h >>> 19);
  return (Math.imul(h, 5) + 0xe6546b64) | 0;
}

/** Integer in [0, n). */
export function below(random: Random, n: number): number {
  return Math.floor(random() * n);
}

/** Integer in [min, max]. */
export function between(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)]!;
}

/** Standard normal deviate (Box and Muller 1958). */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * A rank in [0, n), where the share of rank r falls as 1 / (r + shift): Zipf's law with exponent 1, by
 * inversion of its continuous form. `shift` flattens the head: with 10, the first rank of 10,000 gets 1.4% of
 * the draws instead of 7.5%.
 */
export function zipfRank(random: Random, n: number, shift: number): number {
  const rank = Math.floor(shift * ((n + shift) / shift) ** random() - shift);
  return rank < n ? rank : n - 1;
}
