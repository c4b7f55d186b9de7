import type { Response } from 'express';
import { findOpenSessions } from '../../../shared/accounts/account-statements.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { rateLimited } from '../../http/error-responses.ts';

/** How often the versions of all watched objects are read. One statement reads them all. */
const POLL_MS = 1_000;
/** Proxies close connections that are idle for a minute. */
const KEEP_ALIVE_MS = 25_000;
/** The stream ends after this time. The browser reconnects, which checks its permission again. */
const MAX_MS = 10 * 60_000;
/** Maximum number of streams per session. Hidden windows close their streams. */
const MAX_STREAMS = 4;
/** Maximum number of streams per process, so that they never use up its sockets. */
const MAX_OPEN = 2_000;

type Version = number | string;
type ReadVersions = (db: Db, ids: readonly string[]) => Promise<{ id: string; version: Version }[]>;
type Watcher = { id: string; session: string; version: Version; res: Response };

/**
 * Sends browsers the current version of an object, and then a new version for each change, as server-sent
 * events.
 * @param id the watched object @throws PlatError `rate_limited`
 */
export type Watch = (id: string, session: string, version: Version) => (res: Response) => void;

/**
 * Keeps track of this process's watchers. Versions come from the database, so any process can serve any
 * watcher.
 * @param read reads the versions of the watched objects
 */
export function watchVersions(read: ReadVersions): (db: Db) => Watch {
  const watches = new WeakMap<Db, Watch>();
  return db => {
    const watch = watches.get(db) ?? openWatch(read, db);
    watches.set(db, watch);
    return watch;
  };
}

function openWatch(read: ReadVersions, db: Db): Watch {
  const watchers = new Set<Watcher>();
  let timer: NodeJS.Timeout | undefined;

  function poll(): void {
    if (timer !== undefined || watchers.size === 0) return;
    timer = setTimeout(async () => {
      // While the database is unavailable, no events are sent. Browsers catch up afterward.
      await sendChanges().catch(() => {});
      timer = undefined;
      poll();
    }, POLL_MS);
    timer.unref();
  }

  async function sendChanges(): Promise<void> {
    const ids = [...new Set([...watchers].map(({ id }) => id))];
    const sessionIds = [...new Set([...watchers].map(({ session }) => session))];
    const [rows, open] = await Promise.all([read(db, ids), findOpenSessions(db, sessionIds)]);
    const versions = new Map(rows.map(({ id, version }) => [id, version]));
    for (const watcher of watchers) {
      if (!open.has(watcher.session)) {
        watcher.res.end();
        continue;
      }
      const version = versions.get(watcher.id);
      if (version !== undefined && version !== watcher.version) sendVersion(watcher, version);
    }
  }

  return (id, session, version) => {
    const sessionWatchers = [...watchers].filter(watcher => watcher.session === session);
    if (sessionWatchers.length >= MAX_STREAMS || watchers.size >= MAX_OPEN)
      throw rateLimited('Too many windows of Plat are open. Close some of them.', 60);
    return res => {
      const watcher = { id, session, version, res };
      watchers.add(watcher);
      const beat = setInterval(() => res.write(':\n\n'), KEEP_ALIVE_MS);
      const end = setTimeout(() => res.end(), MAX_MS);
      res.once('close', () => {
        clearInterval(beat);
        clearTimeout(end);
        watchers.delete(watcher);
      });
      sendVersion(watcher, version);
      poll();
    };
  };
}

function sendVersion(watcher: Watcher, version: Version): void {
  watcher.version = version;
  watcher.res.write(`data: ${version}\n\n`);
}
