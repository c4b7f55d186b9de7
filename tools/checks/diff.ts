/** Lines of context around a difference. */
const CONTEXT = 2;
/** A generated file that changed throughout is better read with git diff than in the check's output. */
const MOST_LINES = 60;
/** Cells of the table below: 4 million are filled in some 20 ms. */
const MOST_CELLS = 4_000_000;

type Line = { mark: ' ' | '-' | '+'; text: string; number: number };

/**
 * Where two texts differ, as lines marked `-` (only in `expected`) and `+` (only in `actual`) with a little
 * context; empty when they are equal. Longest common subsequence by dynamic programming.
 */
export function diffLines(expected: string, actual: string): string[] {
  if (expected === actual) return [];
  const lines = compare(expected.split('\n'), actual.split('\n'));
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(line => line.mark !== ' '),
  );
  const printed = lines.flatMap((line, index) => {
    if (!near[index]) return [];
    const head = near[index - 1] === true ? [] : [`line ${line.number}:`];
    return [...head, `${line.mark} ${line.text}`];
  });
  if (printed.length <= MOST_LINES) return printed;
  return [...printed.slice(0, MOST_LINES), `… and ${printed.length - MOST_LINES} more lines`];
}

function compare(left: string[], right: string[]): Line[] {
  const shorter = Math.min(left.length, right.length);
  let head = 0;
  while (head < shorter && left[head] === right[head]) head++;
  let tail = 0;
  while (tail < shorter - head && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail++;
  const same = (from: number, to: number): Line[] =>
    left.slice(from, to).map((text, index) => ({ mark: ' ', text, number: from + index + 1 }));
  return [
    ...same(0, head),
    ...compareMiddle(left.slice(head, left.length - tail), right.slice(head, right.length - tail), head),
    ...same(left.length - tail, left.length),
  ];
}

function compareMiddle(left: string[], right: string[], offset: number): Line[] {
  const width = right.length + 1;
  const common = new Uint32Array(left.length * right.length > MOST_CELLS ? 0 : (left.length + 1) * width);
  if (common.length > 0) {
    for (let i = left.length - 1; i >= 0; i--) {
      for (let j = right.length - 1; j >= 0; j--) {
        const at = i * width + j;
        common[at] =
          left[i] === right[j] ? common[at + width + 1]! + 1 : Math.max(common[at + width]!, common[at + 1]!);
      }
    }
  }
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    const number = offset + i + 1;
    if (common.length > 0 && i < left.length && j < right.length && left[i] === right[j]) {
      lines.push({ mark: ' ', text: left[i++]!, number });
      j++;
    } else if (
      i < left.length &&
      (j === right.length || (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
    ) {
      lines.push({ mark: '-', text: left[i++]!, number });
    } else {
      lines.push({ mark: '+', text: right[j++]!, number });
    }
  }
  return lines;
}
