import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { fetchAnyNetwork } from '../../../../shared/platform/http/guarded-fetch.ts';

/** A slow reader stops the parser at 16 KiB, which is then at the end of the body. */
const SIZES = [16_383, 16_384];
const HEADS: Record<string, (size: number) => string> = {
  'HTTP/1.0 without a length': () => 'HTTP/1.0 200 OK\r\n\r\n',
  'HTTP/1.0 with a length': size => `HTTP/1.0 200 OK\r\nContent-Length: ${size}\r\n\r\n`,
  'HTTP/1.1 that closes': size => `HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\nConnection: close\r\n\r\n`,
};

test.each(Object.entries(HEADS))(
  'a body is whole if the server closes before it is read: %s',
  async (_, headOf) => {
    for (const size of SIZES) {
      const body = await readAfterClose(headOf(size), size);
      expect(body, `${size} bytes`).toBe(size);
    }
  },
);

test('a body that ends too early fails', async () => {
  for (const size of SIZES)
    await expect(readAfterClose(HEADS['HTTP/1.0 with a length']!(size + 1), size)).rejects.toThrow();
});

/** The number of bytes that a slow reader gets from a server that closes the connection first. */
async function readAfterClose(head: string, size: number): Promise<number> {
  const server = createServer(socket => {
    socket.once('data', () => {
      socket.write(head);
      socket.end(Buffer.alloc(size));
    });
  });
  const closed = once(server, 'connection').then(([socket]) => once(socket, 'close'));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const init = { headers: {}, signal: AbortSignal.timeout(10_000) };
    const { response } = await fetchAnyNetwork(new URL(`http://127.0.0.1:${port}/`), init);
    await closed;
    return (await response.arrayBuffer()).byteLength;
  } finally {
    server.close();
  }
}
