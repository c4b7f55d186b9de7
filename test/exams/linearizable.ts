/**
 * Decides whether a history of concurrent calls is linearizable: whether every call can have taken effect at
 * one moment between its start and its end, so that a sequential model gives the same results. The search is
 * that of Wing and Gong with Lowe's memory of visited states.
 */

export type Op<Input, Output> = {
  start: number;
  /** Undefined if the result is unknown. The call then took effect at any time after its start, or never. */
  end?: number;
  input: Input;
  output?: Output;
};

export type Model<State, Input, Output> = {
  initial: State;
  /** The state after the call. Undefined if the call can't have had this output in this state. */
  apply(state: State, input: Input, output: Output | undefined): State | undefined;
  /** Calls with unknown results and the same name are interchangeable, except for when they started. */
  nameOf(input: Input): string;
};

type Unknown<Input> = { start: number; input: Input };

/** A history is linearizable if the longest valid order contains all of its calls with a known result. */
export function longestOrder<State, Input, Output>(
  history: readonly Op<Input, Output>[],
  model: Model<State, Input, Output>,
): { known: number; ordered: number } {
  const byStart = history.toSorted((a, b) => a.start - b.start);
  const known = byStart.filter(op => op.end !== undefined);
  const unknown = new Map<string, Unknown<Input>[]>();
  for (const op of byStart.filter(one => one.end === undefined)) {
    const name = model.nameOf(op.input);
    unknown.set(name, [...(unknown.get(name) ?? []), op]);
  }
  const visited = new Set<string>();
  const stack: Node<State>[] = [{ first: 0, later: [], used: {}, state: model.initial }];
  let ordered = 0;
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const id = JSON.stringify(node);
    if (visited.has(id)) continue;
    visited.add(id);
    if (visited.size > MAX_STATES)
      throw new Error('Too many calls with unknown results to check the history.');
    ordered = Math.max(ordered, node.first + node.later.length);
    if (ordered === known.length) break;
    const before = earliestEnd(known, node);
    // Pushed first, so tried last: few calls with unknown results took effect.
    for (const [name, calls] of unknown) {
      const used = node.used[name] ?? 0;
      const call = calls[used];
      if (call === undefined || call.start > before) continue;
      const state = model.apply(node.state, call.input, undefined);
      if (state !== undefined) stack.push({ ...node, state, used: { ...node.used, [name]: used + 1 } });
    }
    for (let at = node.first; at < known.length && known[at]!.start <= before; at++) {
      if (node.later.includes(at)) continue;
      const state = model.apply(node.state, known[at]!.input, known[at]!.output);
      if (state !== undefined) stack.push({ ...node, ...withCall(node, at), state });
    }
  }
  return { known: known.length, ordered };
}

const MAX_STATES = 1_000_000;

/** Ordered so far: the calls before `first`, those in `later`, and `used` of the unknown ones by name. */
type Node<State> = { first: number; later: number[]; used: Record<string, number>; state: State };

/** No call that started after this can be the next. */
function earliestEnd(known: readonly { start: number; end?: number }[], node: Node<unknown>): number {
  let earliest = Number.POSITIVE_INFINITY;
  for (let at = node.first; at < known.length && known[at]!.start <= earliest; at++)
    if (!node.later.includes(at)) earliest = Math.min(earliest, known[at]!.end!);
  return earliest;
}

function withCall({ first, later }: Node<unknown>, at: number): Pick<Node<unknown>, 'first' | 'later'> {
  const rest = new Set([...later, at]);
  let next = first;
  while (rest.delete(next)) next++;
  return { first: next, later: [...rest].sort((a, b) => a - b) };
}
