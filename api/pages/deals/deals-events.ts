import { readBoardVersions } from '../../../shared/deals/deal-statements.ts';
import type { Page } from '../frame/pages.tsx';
import { watchVersions } from '../frame/watch-versions.ts';
import { boardOf } from './deals-board.ts';

const watchBoards = watchVersions(readBoardVersions);

/** Sends the version of the user's board as server-sent events: one right away, then one per change. */
export const eventsPage: Page = {
  path: '/deals/events',
  access: 'app',
  async get(visit) {
    const board = await boardOf(visit, { made: true });
    const watch = watchBoards(visit.deps.db);
    return { stream: watch(board!.id, visit.session!.id, board!.version) };
  },
};
