import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** The highest resident set so far: the kernel's own mark on Linux, elsewhere that of this moment. */
export async function residentMb(pid: number): Promise<number> {
  if (process.platform === 'linux') {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
  }
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) / 1024;
}

/** USER_HZ of Linux on every architecture that Node runs on. */
const TICKS_A_SECOND = 100;

/** Seconds of processor time so far, in user mode and in the kernel; NaN where /proc does not tell. */
export function cpuSeconds(pid: number): number {
  const stat = `/proc/${pid}/stat`;
  if (!existsSync(stat)) return Number.NaN;
  // The name, in parentheses, may hold spaces; fields 14 and 15 of proc(5) are the 12th and 13th after it.
  const fields = readFileSync(stat, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}
