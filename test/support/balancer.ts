import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { serve } from './http-server.ts';

const POLL_MS = 50;

export type Backend = { url: string };

/**
 * A balancer that sends calls in turn to servers whose /readyz is 200, and never sends one twice: a call that
 * meets a server which has left is lost.
 */
export async function startBalancer() {
  const backends = new Map<Backend, { ready: boolean; calls: number }>();
  let turn = 0;
  let stopped = false;

  const server = await serve(async (req, res) => {
    const body = Buffer.concat(await req.toArray());
    const ready = [...backends].filter(([, state]) => state.ready);
    if (ready.length === 0) return res.writeHead(503).end('no server is ready');
    const [{ url }, state] = ready[turn++ % ready.length]!;
    state.calls++;
    request(url + req.url, { method: req.method!, headers: req.headers, agent: false }, answer => {
      // A kept connection may close just as the client sends its next call.
      res.writeHead(answer.statusCode!, { ...answer.headers, connection: 'close' });
      answer.pipe(res);
    })
      .on('error', error => res.destroy(error))
      .end(body);
  });
  afterAll(async () => {
    stopped = true;
    await server.close();
  });

  async function follow(backend: Backend): Promise<void> {
    while (!stopped && backends.has(backend)) {
      const ready = await fetch(`${backend.url}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      );
      const state = backends.get(backend);
      if (state !== undefined) state.ready = ready;
      await sleep(POLL_MS);
    }
  }

  return {
    url: server.origin,
    add(backend: Backend): void {
      backends.set(backend, { ready: false, calls: 0 });
      void follow(backend);
    },
    remove: (backend: Backend) => backends.delete(backend),
    isReady: (backend: Backend) => backends.get(backend)?.ready ?? false,
    callsOf: (backend: Backend) => backends.get(backend)?.calls ?? 0,
  };
}
