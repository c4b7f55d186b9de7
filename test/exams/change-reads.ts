import { groupBy } from '../../shared/kernels/groups.ts';

/** A page of changes that a client read. */
export type ChangeRead = {
  client: number;
  start: number;
  end: number;
  changes: readonly { seq: number; text: string }[];
  hasMore: boolean;
};

/** A transaction of a writer, with the last `seq` that existed when it had committed. */
export type ChangeWrite = { end: number; head: number };

/**
 * What is wrong with clients' reading of changes until there were no more. Every client must have read the
 * same changes in the order of `seq`, and a page must include what was committed, or read by anyone, before
 * it was requested.
 */
export function faultsOfReads(reads: readonly ChangeRead[], writes: readonly ChangeWrite[]): string[] {
  const faults: string[] = [];
  const texts = new Map<number, string>();
  for (const { seq, text } of reads.flatMap(read => read.changes))
    if ((texts.get(seq) ?? text) !== text) faults.push(`change ${seq} was returned in two ways`);
    else texts.set(seq, text);
  const all = [...texts.keys()].sort((a, b) => a - b).join();
  const ends = new Map<ChangeRead, number>();
  for (const own of groupBy(reads, read => read.client).values()) {
    let last = 0;
    for (const read of own) {
      last = read.changes.at(-1)?.seq ?? last;
      ends.set(read, last);
    }
    const seqs = own.flatMap(read => read.changes.map(({ seq }) => seq));
    if (seqs.join() !== all)
      faults.push(
        `client ${own[0]!.client} read ${seqs.length} of ${texts.size} changes, or in another order`,
      );
  }
  const heads = [...writes, ...reads.map(read => ({ end: read.end, head: ends.get(read)! }))];
  for (const read of reads) {
    // A page that has more can end anywhere.
    if (read.hasMore) continue;
    const missed = heads.find(({ end, head }) => end < read.start && head > ends.get(read)!);
    if (missed) faults.push(`client ${read.client} did not see change ${missed.head} after it was visible`);
  }
  return faults;
}
