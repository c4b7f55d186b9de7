import { type ChildProcess, spawn } from 'node:child_process';
import { limitsOf, type OpenContext, sourceError } from '../../shared/platform/http/download-context.ts';
import { OUT_OF_MEMORY } from './child-guard.mjs';

/**
 * A parsing library may hang on a damaged file or use up all memory. So it runs in its own process, which can
 * be killed.
 */

export type Command = { program: string; args: string[]; cwd?: string; input?: string };

/**
 * Streams the output of a command that reads a source. Kills the command if it writes nothing for too long or
 * is no longer needed.
 * @param failure converts its exit code (or the error that prevented its start) and its last error line to an
 * error
 * @throws PlatError `feed_source` that names the source, if the command hung or needed too much memory
 */
export async function* readChildOutput(
  command: Command,
  name: string,
  context: OpenContext,
  failure: (code: number | string, said: string) => Error,
): AsyncGenerator<Buffer> {
  context.signal.throwIfAborted();
  const { program, args, cwd, input } = command;
  const child = spawn(program, args, {
    ...(cwd !== undefined && { cwd }),
    signal: context.signal,
    killSignal: 'SIGKILL',
  });
  const ended = outcomeOf(child);
  // Writing fails if the child has already exited. Its exit code says why.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const { readerIdleMs, readerStartMs } = limitsOf(context);
  let waitMs = readerStartMs;
  let silent = false;
  try {
    const chunks = child.stdout[Symbol.asyncIterator]();
    for (;;) {
      const timer = setTimeout(() => {
        silent = true;
        child.kill('SIGKILL');
      }, waitMs);
      const { done, value } = await chunks.next().finally(() => clearTimeout(timer));
      if (done) break;
      waitMs = readerIdleMs;
      yield value;
    }
    const { code, said } = await ended;
    if (silent) throw damagedFileError(name, `it returned no row for ${waitMs / 1000} s`);
    if (code === OUT_OF_MEMORY || code === 'SIGABRT')
      throw sourceError(
        `Reading ${name} needs more memory than is available for one file. Save it as CSV or in parts. If it may be damaged, download it again.`,
      );
    if (code !== 0) throw failure(code, said);
  } finally {
    child.kill('SIGKILL');
    // A process isn't considered ended until its output has been read, so discard the rest.
    child.stdout.destroy();
    await ended;
    context.signal.throwIfAborted();
  }
}

/** The error for a file that a reader could not finish. */
export const damagedFileError = (name: string, how: string): Error =>
  sourceError(`Can't read ${name}: ${how}. It may be damaged. Download or copy it again.`);

/** The child's exit code or signal, or why it didn't start, with the last line of its standard error. */
function outcomeOf(child: ChildProcess): Promise<{ code: number | string; said: string }> {
  let errorText = '';
  child.stderr!.on('data', bytes => {
    errorText = (errorText + bytes).slice(-2_000);
  });
  const last = () => errorText.trim().split('\n').at(-1)!.slice(0, 300) || 'no error message';
  return new Promise(resolve => {
    child.on('error', error =>
      resolve({ code: (error as NodeJS.ErrnoException).code ?? 'error', said: error.message }),
    );
    child.on('close', (code, signal) => resolve({ code: code ?? signal ?? 'error', said: last() }));
  });
}
