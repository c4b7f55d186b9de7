import { isComputing as isAnyComputing } from '../../../shared/feeds/feed-statements.ts';
import type { Run } from '../../../shared/feeds/ingest-runs.ts';
import { feedKindWords } from '../../../shared/model/feed-kinds.ts';
import { count } from '../../../shared/model/figures.ts';
import type { Visit } from '../frame/visit.ts';
import { sizeOf, sum } from './run-figures.tsx';

/** Whether estimates and statistics are still being calculated for this county or another. */
export async function isComputing({ deps }: Visit, { kind, status }: Run): Promise<boolean> {
  if (status !== 'merged' || !feedKindWords(kind)?.isComputed) return false;
  return isAnyComputing(deps.db);
}

type Step = { words: string; state: 'done' | 'now' | 'stopped' | 'waiting' };

function stepsOf({ kind, status, undoes, inputs, counts }: Run, computing: boolean): Step[] {
  const bytes = inputs.reduce((total, input) => total + input.bytes, 0);
  const read = sum(counts.read);
  const rejected = sum(counts.rejected);
  const isThrough = ['merged', 'unchanged', 'undone'].includes(status);
  const reached = isThrough ? 4 : status === 'blocked' ? 2 : read > 0 ? 2 : inputs.length > 0 ? 1 : 0;
  const stateOf = (at: number): Step['state'] => {
    if (at !== reached) return at < reached ? 'done' : 'waiting';
    return status === 'running' ? 'now' : 'stopped';
  };
  const used = (counts.new ?? 0) + (counts.changed ?? 0) + (counts.unchanged ?? 0);
  const steps: Step[] = [
    { words: `Downloaded${bytes > 0 ? ` · ${sizeOf(bytes)}` : ''}`, state: stateOf(0) },
    { words: `Read${read > 0 ? ` · ${count(read)} rows` : ''}`, state: stateOf(1) },
    {
      words:
        status === 'blocked'
          ? 'Checked · blocked'
          : `Checked${isThrough && read > 0 ? ` · ${count(rejected)} rejected` : ''}`,
      state: stateOf(2),
    },
    {
      words: status === 'unchanged' ? 'Merged · no changes' : `Merged${used > 0 ? ` · ${count(used)}` : ''}`,
      state: stateOf(3),
    },
  ];
  // An undo doesn't read a source.
  if (undoes !== null) steps.splice(0, 3);
  if (feedKindWords(kind)?.isComputed)
    steps.push({
      words: computing ? 'Calculating estimates and statistics…' : 'Estimates and statistics calculated',
      state: computing ? 'now' : stateOf(3),
    });
  return steps;
}

const CLASSES = { done: 'done', now: 'now', stopped: 'stopped', waiting: undefined };

export const RunSteps = ({ run, computing }: { run: Run; computing: boolean }) => (
  <ol class="steps" aria-label="Steps">
    {stepsOf(run, computing).map(({ words, state }) => (
      <li class={CLASSES[state]} aria-current={state === 'now' || state === 'stopped' ? 'step' : undefined}>
        {words}
        {state === 'stopped' && <span class="unseen"> (stopped here)</span>}
      </li>
    ))}
  </ol>
);
