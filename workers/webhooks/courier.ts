import type { Config } from '../../shared/platform/config.ts';
import { asRun, type Pool, transaction } from '../../shared/platform/db.ts';
import {
  type GuardedPost,
  hostsOf,
  openGuardedPost,
  type PostResult,
} from '../../shared/platform/http/guarded-post.ts';
import { type Logger, sparseWarnings } from '../../shared/platform/log.ts';
import { apiUrlOf } from '../../shared/platform/origin.ts';
import { SCHEDULE } from '../../shared/webhooks/webhook-terms.ts';
import { startLoop, type WakefulLoop } from '../queue/wakeful-loop.ts';
import { bodyOf, headersOf, type Taken } from './webhook-message.ts';

/**
 * Deliveries of a process that are under way at once, and of one webhook. Those of webhooks that fail have
 * places of their own: who never answers slows none that does.
 */
const LANES = {
  well: { places: 1_024, each: 4 },
  failing: { places: 64, each: 1 },
} as const;
type Lane = keyof typeof LANES;

/** Longer than an attempt may take; then another worker makes it in the place of one that died. */
const LEASE_SECONDS = 60;
/** How often it looks by itself, for what nobody has announced and what is due again. */
const LOOK_MS = 5_000;
/** What has ended within so long is recorded together, and makes place for others. */
const TOGETHER_MS = 20;
/** Longest pause that a receiver may ask for. */
const MAX_PAUSE_SECONDS = 86_400;
/** A webhook to which nothing got through for so long is switched off when a message runs out of attempts. */
const FAILING_DAYS = 3;
/** For what is under way when the worker stops. */
const STOP_MS = 5_000;

export type CourierDeps = {
  pool: Pool;
  log: Logger;
  config: Pick<Config, 'BASE_URL' | 'HOST' | 'PORT' | 'WEBHOOK_PRIVATE_HOSTS'>;
  /** Default: the guarded one. */
  post?: GuardedPost;
};

type Attempt = { taken: Taken; result: PostResult };

/**
 * Tells webhooks of changes: makes messages of those that are committed, and delivers what is due, each at
 * least once. What a killed worker had under way is delivered anew, under the same id.
 */
export function startCourier({ pool, log, config, post: given }: CourierDeps): WakefulLoop {
  const apiUrl = apiUrlOf(config, config.PORT);
  const post = given ?? openGuardedPost(hostsOf(config.WEBHOOK_PRIVATE_HOSTS));
  const under: Record<Lane, Map<string, number>> = { well: new Map(), failing: new Map() };
  const sending = new Set<Promise<void>>();
  let ended: Attempt[] = [];
  let isStopping = false;
  /** Whether there may be changes of which no message was made. */
  let isTold = true;
  /** Lanes in which something has ended since what is due was taken. */
  let left = new Set<Lane>();
  let soon: NodeJS.Timeout | undefined;

  function send(taken: Taken, body: string, lane: Lane): void {
    const { webhook_id: id } = taken;
    under[lane].set(id, (under[lane].get(id) ?? 0) + 1);
    const work = post.post(taken.url, headersOf(taken, body), body).then(result => {
      const others = under[lane].get(id)! - 1;
      if (others === 0) under[lane].delete(id);
      else under[lane].set(id, others);
      sending.delete(work);
      ended.push({ taken, result });
      left.add(lane);
      soon ??= setTimeout(() => {
        soon = undefined;
        recording.wake();
        taking.wake();
      }, TOGETHER_MS);
    });
    sending.add(work);
  }

  async function claim(lane: Lane): Promise<void> {
    const { places, each } = LANES[lane];
    const counts = [...under[lane]];
    const free = places - counts.reduce((sum, [, count]) => sum + count, 0);
    if (free < places / 2) return;
    const rows = await asRun(pool)<Taken>('webhooks/claim_deliveries', {
      failing: lane === 'failing',
      busy: counts.map(([id]) => id),
      each,
      limit: free,
      lease: LEASE_SECONDS,
    });
    const bodies = new Map<string, string>();
    for (const taken of rows) {
      const body = bodies.get(taken.message_id) ?? bodyOf(taken, apiUrl);
      bodies.set(taken.message_id, body);
      send(taken, body, lane);
    }
  }

  async function recordEnded(): Promise<void> {
    const attempts = ended;
    ended = [];
    await record(pool, attempts).catch(error => {
      // They would be delivered again when their leases are over.
      ended = [...attempts, ...ended];
      throw error;
    });
  }

  async function takeDue(): Promise<void> {
    if (isStopping) return;
    // Looked for when it is said that there is something, and when nothing else goes on.
    const looks = isTold || left.size === 0;
    const hasFailing = looks || left.has('failing');
    isTold = false;
    left = new Set();
    if (looks) await makeMessages(pool);
    await Promise.all([claim('well'), hasFailing && claim('failing')]);
  }

  const warn = sparseWarnings(log);
  const failed = (error: unknown) => {
    if (!isStopping) warn(error, 'webhooks: what failed is tried again in a moment');
  };
  // Neither waits for the other: both go on while messages are under way.
  const recording = startLoop(recordEnded, LOOK_MS, failed);
  const taking = startLoop(takeDue, LOOK_MS, failed);
  return {
    wake() {
      isTold = true;
      taking.wake();
    },
    async stop() {
      isStopping = true;
      clearTimeout(soon);
      await Promise.all([taking.stop(), recording.stop()]);
      const over = setTimeout(() => post.close(), STOP_MS);
      await Promise.all(sending);
      clearTimeout(over);
      await record(pool, ended).catch(error => log.warn({ err: error }, 'webhooks: some are sent again'));
      await post.close();
    },
  };
}

/** One worker at a time; the others find nothing to make. */
function makeMessages(pool: Pool): Promise<void> {
  return transaction(pool, async client => {
    const run = asRun(client);
    const [position] = await run<{ seq: number }>('webhooks/lock_position');
    if (position !== undefined) await run('webhooks/make_messages', { after: position.seq });
  });
}

/** Seconds until the next attempt, null after the last. */
function waitOf({ taken: { attempts }, result }: Attempt): number | null {
  if (result.error === null || result.status === 410) return null;
  const usual = SCHEDULE[attempts + 1];
  if (usual === undefined) return null;
  return Math.max(usual, Math.min(MAX_PAUSE_SECONDS, (result.retryAfterMs ?? 0) / 1_000));
}

async function record(pool: Pool, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length === 0) return;
  await asRun(pool)('webhooks/record_attempts', {
    webhook_ids: attempts.map(({ taken }) => taken.webhook_id),
    message_ids: attempts.map(({ taken }) => taken.message_id),
    turns: attempts.map(({ taken }) => taken.turn),
    statuses: attempts.map(({ result }) => result.status),
    errors: attempts.map(({ result }) => result.error),
    waits: attempts.map(waitOf),
    days: FAILING_DAYS,
  });
}
