import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type TcpProxy = {
  port: number;
  /** Where new connections go. */
  target: number;
  /** Resets all connections and refuses new ones, until `mend`. */
  cut(): void;
  /** Forwards nothing more, and closes nothing, like a cable that is pulled, until `mend`. */
  stall(): void;
  mend(): void;
  close(): Promise<void>;
};

/** A network link that can fail. */
export async function openTcpProxy(target: number): Promise<TcpProxy> {
  const pipes = new Map<Socket, Socket>();
  let state: 'up' | 'cut' | 'stalled' = 'up';
  const server = createServer(inside => {
    if (state === 'cut') return void inside.resetAndDestroy();
    const outside = connect(proxy.target, '127.0.0.1');
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      pipes.set(from, to);
      if (state === 'up') from.pipe(to);
      from
        .on('error', () => {})
        .on('close', () => {
          pipes.delete(from);
          to.destroy();
        });
    }
  });
  const proxy: TcpProxy = {
    port: 0,
    target,
    cut() {
      state = 'cut';
      for (const from of pipes.keys()) from.resetAndDestroy();
    },
    stall() {
      state = 'stalled';
      for (const from of pipes.keys()) from.unpipe();
    },
    mend() {
      state = 'up';
      for (const [from, to] of pipes) from.pipe(to);
    },
    close() {
      for (const from of pipes.keys()) from.destroy();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  proxy.port = (server.address() as AddressInfo).port;
  return proxy;
}
