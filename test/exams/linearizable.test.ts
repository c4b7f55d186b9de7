import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AccountInput, type AccountOutput, ALLOTMENT, accountModel } from './account-model.ts';
import { faultsOfReads } from './change-reads.ts';
import { longestOrder, type Op } from './linearizable.ts';

const model = accountModel(ALLOTMENT);

const isLinearizable = (history: readonly Op<AccountInput, AccountOutput>[]): boolean => {
  const { known, ordered } = longestOrder(history, model);
  return ordered === known;
};

type Call = Op<AccountInput, AccountOutput>;
const stats = (start: number, end?: number): Call =>
  end === undefined
    ? { start, input: { call: 'stats' } }
    : { start, end, input: { call: 'stats' }, output: { status: 200, tokens: 10, answer: '' } };
const usage = (start: number, end: number, used: number): Call => ({
  start,
  end,
  input: { call: 'usage' },
  output: { status: 200, tokens: 0, answer: String(used) },
});
const filter = (start: number, end: number | undefined, tokens = 30, answer = 'a', body = '1'): Call => ({
  start,
  input: { call: 'filter', key: 'k', body },
  ...(end !== undefined && { end, output: { status: 200, tokens, answer } }),
});
const refused = (start: number, end: number, status: number, body = '1'): Call => ({
  start,
  end,
  input: { call: 'filter', key: 'k', body },
  output: { status, tokens: 0, answer: '' },
});
const many = (count: number): Call[] => Array.from({ length: count }, (_, n) => stats(n, n + 0.5));

describe('histories that are linearizable', () => {
  test.each<[string, Call[]]>([
    ['calls one after another', [stats(0, 1), usage(2, 3, 10)]],
    ['a read while a charge is made, before it', [stats(0, 4), usage(1, 2, 0)]],
    ['and after it', [stats(0, 4), usage(1, 2, 10)]],
    ['a call without a result that was charged late', [stats(0), usage(1, 2, 0), usage(3, 4, 10)]],
    ['or never', [stats(0), usage(1, 2, 0)]],
    ['a repeat of a call without a result', [filter(0, undefined), filter(1, 2, 0), usage(3, 4, 30)]],
    ['a repeat with another answer than a failed first', [filter(0, undefined), filter(1, 2, 30, 'b')]],
    ['another body for a used key is refused', [filter(0, 1), refused(2, 3, 400, '2')]],
    ['no tokens are left', [...many(148), refused(150, 151, 402), stats(152, 153), usage(154, 155, 1_490)]],
  ])('%s', (_name, history) => {
    expect(isLinearizable(history)).toBe(true);
  });

  const order = fc.array(
    fc.record({
      gap: fc.integer({ min: 1, max: 9 }),
      reach: fc.integer({ min: 0, max: 40 }),
      kind: fc.integer({ min: 0, max: 4 }),
    }),
    { maxLength: 60 },
  );
  test('every history made from one order of calls', () => {
    fc.assert(
      fc.property(order, steps => {
        let [now, used, isStored] = [0, 0, false];
        const history = steps.map(({ gap, reach, kind }): Call => {
          now += gap;
          const [start, end] = [now - reach, now + reach];
          if (kind <= 1) return usage(start, end, used);
          const first = kind === 4 && !isStored;
          isStored ||= first;
          if (kind === 2 || kind === 3 || first) used += first ? 30 : 10;
          if (kind === 4) return filter(start, end, first ? 30 : 0);
          return kind === 2 ? stats(start, end) : stats(start);
        });
        expect(isLinearizable(history)).toBe(true);
      }),
    );
  });
});

test.each<[string, Call[]]>([
  ['a call that is charged twice', [stats(0, 1), usage(2, 3, 20)]],
  ['a call that is not charged', [stats(0, 1), usage(2, 3, 0)]],
  ['a read of the past', [stats(0, 1), usage(2, 3, 10), usage(4, 5, 0)]],
  ['a call without a result that is charged twice', [stats(0), usage(1, 2, 20)]],
  ['a charge before its call', [usage(0, 1, 10), stats(2, 3)]],
  ['a repeat that is charged', [filter(0, 1), filter(2, 3, 30)]],
  ['a repeat with another response', [filter(0, 1), filter(2, 3, 0, 'b')]],
  ['a first call that is free', [filter(0, 1, 0)]],
  ['two first calls', [filter(0, 5), filter(1, 6)]],
  ['another body for a used key', [filter(0, 1), filter(2, 3, 30, 'b', '2')]],
  ['a refusal of a key that has this body', [filter(0, 1), refused(2, 3, 400)]],
  ['a refusal although tokens are left', [...many(3), refused(4, 5, 402)]],
  ['more than the allotment', many(151)],
])('%s is found', (_name, history) => {
  expect(isLinearizable(history)).toBe(false);
});

describe('reads of changes', () => {
  const change = (seq: number, text = String(seq)) => ({ seq, text });
  const read = (client: number, start: number, seqs: number[], hasMore = false) => ({
    client,
    start,
    end: start + 1,
    changes: seqs.map(seq => change(seq)),
    hasMore,
  });
  const good = [read(1, 0, [1, 2], true), read(1, 5, [4]), read(2, 1, [1]), read(2, 6, [2, 4])];

  test('have no faults if all clients read everything in order', () => {
    expect(faultsOfReads(good, [{ end: 2, head: 2 }])).toEqual([]);
  });

  test.each([
    ['a change that is skipped', [...good.slice(0, 3), read(2, 6, [4])], []],
    ['a change that comes twice', [...good, read(2, 8, [4])], []],
    ['a change that comes late', [read(1, 0, [2]), read(1, 2, [1]), read(2, 3, [1, 2])], []],
    ['a change that differs', [read(1, 0, [1]), { ...read(2, 0, []), changes: [change(1, 'other')] }], []],
    ['a page that ends before a commit', [read(1, 5, []), read(1, 7, [1])], [{ end: 4, head: 1 }]],
    [
      'a page that ends before what another client has read',
      [read(1, 0, [1]), read(2, 5, []), read(2, 7, [1])],
      [],
    ],
  ])('%s is found', (_name, reads, writes) => {
    expect(faultsOfReads(reads, writes)).not.toEqual([]);
  });
});
