import type { Response } from 'express';
import { PlatError } from '../../../shared/base/errors.ts';
import type { Database } from '../../http/database.ts';
import type { Page } from '../frame/pages.tsx';
import { boardOf } from './deals-board.ts';

/** How often the versions of the boards that are looked at are read, all in one statement. */
const POLL_MS = 1_000;
/** Proxies close what is silent for a minute. */
const KEEP_ALIVE_MS = 25_000;
/** Then the browser reconnects, and its permission is checked again. */
const MAX_MS = 10 * 60_000;
/** Of one session: windows that are hidden close theirs. */
const MAX_STREAMS = 4;
/** Of this process, so that they never take its sockets from others. */
const MAX_OPEN = 2_000;

type Watcher = { board: string; session: string; version: number; res: Response };

/**
 * Who looks at which board in this process. The versions are the database's, so that any other process
 * could tell as much.
 */
function openWatch(database: Database) {
  const watchers = new Set<Watcher>();
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    if (timer !== undefined || watchers.size === 0) return;
    timer = setTimeout(async () => {
      // While the database is away no events are sent; browsers catch up afterwards.
      await tellAll().catch(() => {});
      timer = undefined;
      look();
    }, POLL_MS);
    timer.unref();
  }

  async function tellAll(): Promise<void> {
    const boards = [...new Set([...watchers].map(({ board }) => board))];
    const rows = await database.run<{ id: string; version: number }>('deals/read_versions', { ids: boards });
    const versions = new Map(rows.map(({ id, version }) => [id, version]));
    for (const watcher of watchers) {
      const version = versions.get(watcher.board);
      if (version !== undefined && version !== watcher.version) sendVersion(watcher, version);
    }
  }

  /** @throws PlatError `rate_limited` */
  return (board: string, session: string, version: number): ((res: Response) => void) => {
    const sessionWatchers = [...watchers].filter(watcher => watcher.session === session);
    if (sessionWatchers.length >= MAX_STREAMS || watchers.size >= MAX_OPEN)
      throw new PlatError('rate_limited', 'Too many windows look at boards. Close some of them.', {
        headers: { 'Retry-After': '60' },
      });
    return res => {
      const watcher = { board, session, version, res };
      watchers.add(watcher);
      const beat = setInterval(() => res.write(':\n\n'), KEEP_ALIVE_MS);
      const end = setTimeout(() => res.end(), MAX_MS);
      res.once('close', () => {
        clearInterval(beat);
        clearTimeout(end);
        watchers.delete(watcher);
      });
      sendVersion(watcher, version);
      look();
    };
  };
}

function sendVersion(watcher: Watcher, version: number): void {
  watcher.version = version;
  watcher.res.write(`data: ${version}\n\n`);
}

const watches = new WeakMap<Database, ReturnType<typeof openWatch>>();

/** Server-sent events with the version of the user's board: the first at once, then one for each change. */
export const eventsPage: Page = {
  path: '/deals/events',
  access: 'app',
  async get(visit) {
    const { database } = visit.deps.resources;
    const board = await boardOf(visit, { made: true });
    const watch = watches.get(database) ?? openWatch(database);
    watches.set(database, watch);
    return { stream: watch(board!.id, visit.session!.id, board!.version) };
  },
};
