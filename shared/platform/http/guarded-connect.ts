import { buildConnector } from 'undici';

/** The part of undici's HTTP/1 parser that is used here. */
type Parser = {
  paused: boolean;
  statusCode: number;
  ptr: unknown;
  llhttp: { llhttp_resume(ptr: unknown): void };
  resume(): void;
};

/**
 * Connects like undici. In addition, a parser that waits for a slow reader reads the rest before undici
 * learns that the server has closed the connection. Otherwise, undici 7 ends the process
 * (https://github.com/nodejs/undici/issues/5360, fixed in version 8, which needs Node 22).
 */
export function guardedConnect(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, done) =>
    connect(target, (...result) => {
      const [, socket] = result;
      const readRest = () => {
        const parser = socket && parserOf(socket);
        if (!parser?.paused || parser.statusCode === 0) return;
        parser.resume();
        // A body without a length is complete only now, at the end of the connection.
        if (!parser.paused || parser.statusCode === 0) return;
        parser.llhttp.llhttp_resume(parser.ptr);
        parser.paused = false;
      };
      socket?.prependListener('end', readRest).prependListener('close', readRest);
      done(...result);
    });
}

function parserOf(socket: object): Parser | undefined {
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser');
  return key && (socket as Record<symbol, Parser>)[key];
}
