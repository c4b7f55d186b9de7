import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** All processes with their arguments and environment. */
export function allProcesses(): { pid: number; text: string }[] {
  if (!existsSync('/proc/self/environ')) {
    const lines = execFileSync('ps', ['axeww', '-o', 'pid=,args='], {
      encoding: 'utf8',
      maxBuffer: 64 << 20,
    });
    return lines.split('\n').map(line => ({ pid: Number.parseInt(line, 10), text: line }));
  }
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(pid => {
      const read = (file: string) => {
        try {
          return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ');
        } catch {
          // The process has ended or belongs to another user.
          return '';
        }
      };
      return { pid: Number(pid), text: `${read('cmdline')} ${read('environ')}` };
    });
}
