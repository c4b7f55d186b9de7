import { MultiBar, Presets } from 'cli-progress';
import type { JobState } from '../../shared/jobs.ts';

/** Shows jobs as they go: a bar each on a terminal, a plain line at every change of tens elsewhere. */
export type ProgressView = { update(label: string, state: JobState): void; stop(): void };

export function openProgress(out: NodeJS.WriteStream = process.stderr): ProgressView {
  return out.isTTY ? bars(out) : lines(out);
}

function bars(out: NodeJS.WriteStream): ProgressView {
  const multi = new MultiBar(
    {
      // With the label 52 columns, so that 80 leave room for the note.
      barsize: 20,
      format: '  {label} [{bar}] {percentage}% {note}',
      hideCursor: true,
      stream: out,
      clearOnComplete: false,
    },
    Presets.shades_grey,
  );
  const open = new Map<string, ReturnType<MultiBar['create']>>();
  return {
    update(label, state) {
      const payload = { label: label.padEnd(24), note: noteOf(state) };
      const bar = open.get(label) ?? multi.create(100, 0, payload);
      open.set(label, bar);
      bar.update(Math.round(state.progress * 100), payload);
    },
    stop: () => multi.stop(),
  };
}

function lines(out: NodeJS.WriteStream): ProgressView {
  const shown = new Map<string, string>();
  return {
    update(label, state) {
      const step = `${state.status} ${Math.floor(state.progress * 5)}`;
      if (shown.get(label) === step) return;
      shown.set(label, step);
      out.write(`  ${label}: ${Math.round(state.progress * 100)}% ${noteOf(state)}\n`);
    },
    stop() {},
  };
}

function noteOf(state: JobState): string {
  if (state.status === 'failed') return `failed: ${state.error ?? ''}`;
  return state.status === 'running' ? (state.note ?? 'running') : state.status;
}
