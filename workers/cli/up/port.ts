import { createServer } from 'node:net';
import { errorCode, PlatError } from '../../../shared/errors.ts';

/** How many ports above the wanted one are tried. */
const TRIES = 50;

/** The wanted port, or the next free one. */
export async function findPort(host: string, wanted: number): Promise<number> {
  for (let port = wanted; port < wanted + TRIES && port <= 65_535; port++) {
    if (await isFree(host, port)) return port;
  }
  throw new PlatError('port', `Ports ${wanted} to ${wanted + TRIES - 1} are all taken: set PORT to a free one.`);
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', error => (['EADDRINUSE', 'EACCES'].includes(errorCode(error) ?? '') ? resolve(false) : reject(error)));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}
