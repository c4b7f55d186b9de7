import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll } from 'vitest';
import { rootDir } from '../../shared/platform/root.ts';

export type Finished = { code: number | null; out: string; err: string };

/** Runs `plat-client` as its users do, in a folder of theirs. */
export function clientCli(folder: string, env: Record<string, string>) {
  const children: ChildProcess[] = [];
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  function start(args: string[], more: Record<string, string> = {}) {
    const child = spawn(process.execPath, [join(rootDir, 'client', 'bin', 'plat-client.mjs'), ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH!, ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const finished: Promise<Finished> = Promise.all([
      once(child, 'exit') as Promise<[number | null]>,
      text(child.stdout!),
      text(child.stderr!),
    ]).then(([[code], out, err]) => ({ code, out, err }));
    return { child, finished };
  }

  const run = (args: string[], more?: Record<string, string>): Promise<Finished> =>
    start(args, more).finished;
  return { start, run };
}

/**
 * A proxy that passes on requests. Where `cut` returns a number for a path, the response stops after that
 * number of bytes, and `onCut` runs.
 */
export async function startCuttingProxy(
  target: string,
  cut: (method: string, path: string) => number | undefined,
  onCut: () => void,
): Promise<string> {
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const passed = send(new URL(url, target), { method, headers }, answer => {
      let left = cut(method, url);
      if (left === 0) return onCut();
      response.writeHead(answer.statusCode!, answer.headers);
      answer.on('data', (bytes: Buffer) => {
        if (left === undefined) return response.write(bytes);
        response.write(bytes.subarray(0, left), onCut);
        left = 0;
        answer.destroy();
      });
      answer.on('end', () => response.end());
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
