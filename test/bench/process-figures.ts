import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
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
  const fields = statOf(pid);
  return fields === undefined ? Number.NaN : (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/** Seconds of processor time that all processes of the machine have had so far; NaN where /proc does not tell. */
export function machineCpuSeconds(): number {
  try {
    const ticks = readFileSync('/proc/stat', 'utf8').split('\n')[0]!.split(/\s+/).slice(1).map(Number);
    // proc(5): user, nice, system, idle, iowait, irq, softirq
    return [0, 1, 2, 5, 6].reduce((sum, i) => sum + ticks[i]!, 0) / TICKS_A_SECOND;
  } catch {
    return Number.NaN;
  }
}

/** Those of the parent of a process, of all its children, and of those that have ended. */
export function familyCpuSeconds(child: number): number {
  const parent = statOf(child)?.[1];
  const fields = parent === undefined ? undefined : statOf(Number(parent));
  if (parent === undefined || fields === undefined) return Number.NaN;
  const ended = (Number(fields[13]) + Number(fields[14])) / TICKS_A_SECOND;
  const living = readdirSync('/proc')
    .map(Number)
    .filter(pid => statOf(pid)?.[1] === parent);
  return [Number(parent), ...living].reduce((sum, pid) => sum + (cpuSeconds(pid) || 0), ended);
}

/** What follows the name in /proc/PID/stat: field n of proc(5) is number n - 3. */
function statOf(pid: number): string[] | undefined {
  try {
    // The name, in parentheses, may hold spaces.
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return undefined;
  }
}
