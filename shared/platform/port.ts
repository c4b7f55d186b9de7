import { createServer } from 'node:net';
import { errorCode, PlatError } from './errors.ts';

/** Number of ports to try, starting with the requested one. */
const TRIES = 50;

/** Returns the requested port or the next free one. For 0, returns any free port. */
export async function findPort(host: string, wanted: number): Promise<number> {
  for (let port = wanted; port < wanted + TRIES && port <= 65_535; port++) {
    const free = await tryPort(host, port);
    if (free !== undefined) return free;
  }
  throw new PlatError(
    'port',
    `Ports ${wanted} to ${wanted + TRIES - 1} are all in use. Set PORT to a free one.`,
  );
}

export function hostError(host: string, code: string, cause: unknown): PlatError {
  const message = `HOST is ${host}, but this machine can't listen on it (${code}). Set it to an address or name of this machine.`;
  return new PlatError('host', message, { cause });
}

function tryPort(host: string, port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', error => {
      const code = errorCode(error) ?? error.message;
      if (['EADDRINUSE', 'EACCES'].includes(code)) resolve(undefined);
      else reject(hostError(host, code, error));
    });
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}
