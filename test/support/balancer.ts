import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { serve } from './http-server.ts';

const POLL_MS = 50;

export type Backend = { url: string };

/**
 * A load balancer that sends calls in turn to servers whose /readyz returns 200. It keeps connections open,
 * as nginx and HAProxy do, and never retries: a call that reaches a stopped server is lost.
 */
export async function startBalancer() {
  const backends = new Map<Backend, { ready: boolean; calls: number }>();
  const agent = new Agent({ keepAlive: true });
  const lost: string[] = [];
  let turn = 0;
  let stopped = false;

  const server = await serve(async (req, res) => {
    const body = Buffer.concat(await req.toArray());
    const ready = [...backends].filter(([, state]) => state.ready);
    if (ready.length === 0) return res.writeHead(503).end('no server is ready');
    const [{ url }, state] = ready[turn++ % ready.length]!;
    state.calls++;
    const lose = (error: NodeJS.ErrnoException) => {
      lost.push(`${req.method} ${url}${req.url}: ${error.code} ${error.message}`);
      res.destroy(error);
    };
    const sent = request(url + req.url, { method: req.method!, headers: req.headers, agent }, answer => {
      // The client and this server share an event loop. After a step that blocks it, both see an idle
      // connection as expired at the same time, and the client could send its next call on a connection that
      // is closing.
      res.writeHead(answer.statusCode!, { ...answer.headers, connection: 'close' });
      answer.on('error', lose).pipe(res);
    });
    sent.on('error', lose).end(body);
  });
  afterAll(async () => {
    stopped = true;
    agent.destroy();
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
    /** Calls that received no complete response, with the reason. */
    lost,
    add(backend: Backend): void {
      backends.set(backend, { ready: false, calls: 0 });
      void follow(backend);
    },
    remove: (backend: Backend) => backends.delete(backend),
    isReady: (backend: Backend) => backends.get(backend)?.ready ?? false,
    callsOf: (backend: Backend) => backends.get(backend)?.calls ?? 0,
  };
}
