import type { RunCounts } from '../../../../shared/feeds/ingest-runs.ts';
import { copyBytes, openCopy } from '../../../../shared/platform/copy.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { type NumberSink, readDnc } from '../../../formats/dnc-file.ts';
import { increment } from '../../engine/run-counts.ts';
import type { RejectWriter } from '../../engine/stage-rows.ts';

const BITMAP_BYTES = 1_250;

/**
 * A bitmap of numbers for each area code and exchange, 200000 to 999999. For the United States, they take up
 * to 330 MB.
 */
export type Bitmaps = Map<number, Uint8Array>;

/** Adds and deletes in line order, so that the last change of a number wins. */
export function collector(into: Bitmaps, removed: Bitmaps | null): Pick<NumberSink, 'add' | 'remove'> {
  let lastPrefix = -1;
  let bits: Uint8Array = new Uint8Array(BITMAP_BYTES);
  let removedBits: Uint8Array | null = null;
  const open = (prefix: number) => {
    if (prefix === lastPrefix) return;
    lastPrefix = prefix;
    bits = bitmapOf(into, prefix);
    removedBits = removed && bitmapOf(removed, prefix);
  };
  return {
    add(prefix, n) {
      open(prefix);
      bits[n >> 3]! |= 1 << (n & 7);
      if (removedBits) removedBits[n >> 3]! &= ~(1 << (n & 7));
    },
    remove(prefix, n) {
      open(prefix);
      bits[n >> 3]! &= ~(1 << (n & 7));
      if (removedBits) removedBits[n >> 3]! |= 1 << (n & 7);
    },
  };
}

function bitmapOf(bitmaps: Bitmaps, prefix: number): Uint8Array {
  let bits = bitmaps.get(prefix);
  if (bits === undefined) {
    bits = new Uint8Array(BITMAP_BYTES);
    bitmaps.set(prefix, bits);
  }
  return bits;
}

export async function collectNumbers(
  chunks: AsyncIterable<Uint8Array>,
  columns: readonly string[] | null,
  { into, removed }: { into: Bitmaps; removed: Bitmaps | null },
  { counts, rejects }: { counts: RunCounts; rejects: RejectWriter },
): Promise<void> {
  let bad = 0;
  const sink: NumberSink = {
    ...collector(into, removed),
    bad(rowNo, what) {
      bad++;
      const message = `The line ${what}.`;
      rejects.add({ input: 'dnc', rowNo, field: null, reason: 'not_a_phone', message, raw: '' });
    },
  };
  const lines = await readDnc(chunks, columns, sink);
  await rejects.drain();
  increment(counts.read, 'dnc', lines);
  if (bad > 0) increment(counts.rejected, 'not_a_phone', bad);
}

/** Writes bitmaps into the staging table. @returns how many numbers each area code has */
export async function stageBitmaps(db: Db, bitmaps: Bitmaps): Promise<Map<number, number>> {
  const copy = openCopy(db, 'copy stage_dnc (prefix, bits) from stdin');
  const numbers = new Map<number, number>();
  let rows = 0;
  for (const [prefix, bits] of bitmaps) {
    const area = Math.floor(prefix / 1_000);
    numbers.set(area, (numbers.get(area) ?? 0) + bitsSet(bits));
    copy.write(`${prefix}\t${copyBytes(bits)}`);
    if (++rows % 500 === 0) await copy.drain();
  }
  await copy.end();
  return numbers;
}

const SET_BITS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

function bitsSet(bits: Uint8Array): number {
  let set = 0;
  for (let i = 0; i < bits.length; i++) set += SET_BITS[bits[i]!]!;
  return set;
}

export async function changedBitmaps(db: Db, added: Bitmaps, removed: Bitmaps): Promise<Bitmaps> {
  const rows = await db.run<{ prefix: number; bits: Buffer }>('contacts/list_bitmaps', {
    prefixes: [...added.keys()],
  });
  const before = new Map(rows.map(({ prefix, bits }) => [prefix, bits]));
  return new Map(
    [...added].map(([prefix, plus]) => {
      const minus = removed.get(prefix)!;
      const old = before.get(prefix);
      return [prefix, plus.map((byte, i) => ((old?.[i] ?? 0) & ~minus[i]!) | byte)];
    }),
  );
}
