import { Webhook } from 'standardwebhooks';
import type { Config } from '../../shared/platform/config.ts';
import type { Db } from '../../shared/platform/db.ts';
import {
  type GuardedPost,
  hostsOf,
  openGuardedPost,
  type PostResult,
} from '../../shared/platform/http/guarded-post.ts';
import { type Logger, sparseWarnings } from '../../shared/platform/log.ts';
import { apiUrlOf } from '../../shared/platform/origin.ts';
import { version } from '../../shared/platform/root.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { SCHEDULE } from '../../shared/webhooks/webhook-terms.ts';
import { startLoop, type WakefulLoop } from '../queue/wakeful-loop.ts';

/**
 * Maximum number of concurrent deliveries, per process (`places`) and per webhook (`each`). Failing webhooks
 * have a separate limit, so that they don't slow down others.
 */
const LANES = {
  well: { places: 1_024, each: 4 },
  failing: { places: 64, each: 1 },
} as const;
type Lane = keyof typeof LANES;

/**
 * Longer than an attempt can take. After this time, another worker takes over the deliveries of a worker that
 * died.
 */
const LEASE_SECONDS = 60;
/** How often to check for unannounced changes and due retries. */
const POLL_MS = 5_000;
/** Attempts that end within this time are recorded together. */
const BATCH_MS = 20;
/** The longest pause that a receiver can request, in seconds. */
const MAX_PAUSE_SECONDS = 86_400;
/** A webhook that has been failing for this long is turned off when a message runs out of attempts. */
const FAILING_DAYS = 3;
/** How long open deliveries have to finish when the worker stops. */
const STOP_MS = 5_000;

export type DispatcherDeps = {
  db: Db;
  log: Logger;
  config: Pick<Config, 'BASE_URL' | 'HOST' | 'PORT' | 'WEBHOOK_PRIVATE_HOSTS'>;
  /** Default: `GuardedPost`, which blocks private addresses. */
  post?: GuardedPost;
};

type Attempt = { taken: Taken; result: PostResult };

type Dispatcher = {
  db: Db;
  post: GuardedPost;
  apiUrl: string;
  /** Number of open deliveries per webhook, by lane. */
  inProgress: Record<Lane, Map<string, number>>;
  sending: Set<Promise<void>>;
  /** Attempts that have ended but are not recorded yet. */
  ended: Attempt[];
  /** Whether there may be changes without a message. */
  hasPending: boolean;
  /** Lanes in which a delivery has ended since the last claim. */
  freed: Set<Lane>;
  isStopping: boolean;
  waking: NodeJS.Timeout | undefined;
  wakeLoops(): void;
};

/**
 * Delivers each message at least once. If the worker is killed, open deliveries are sent again with the same
 * id.
 */
export function startDispatcher({ db, log, config, post }: DispatcherDeps): WakefulLoop {
  const dispatcher: Dispatcher = {
    db,
    post: post ?? openGuardedPost(hostsOf(config.WEBHOOK_PRIVATE_HOSTS)),
    apiUrl: apiUrlOf(config, config.PORT),
    inProgress: { well: new Map(), failing: new Map() },
    sending: new Set(),
    ended: [],
    hasPending: true,
    freed: new Set(),
    isStopping: false,
    waking: undefined,
    wakeLoops() {
      recording.wake();
      taking.wake();
    },
  };
  const warn = sparseWarnings(log);
  const failed = (error: unknown) => {
    if (!dispatcher.isStopping) warn(error, 'webhooks: delivery failed; trying again shortly');
  };
  // The two loops don't wait for each other or for open deliveries.
  const recording = startLoop(() => recordEnded(dispatcher), POLL_MS, failed);
  const taking = startLoop(() => takeDue(dispatcher), POLL_MS, failed);
  return {
    wake() {
      dispatcher.hasPending = true;
      taking.wake();
    },
    async stop() {
      dispatcher.isStopping = true;
      clearTimeout(dispatcher.waking);
      await Promise.all([taking.stop(), recording.stop()]);
      const deadline = setTimeout(() => dispatcher.post.close(), STOP_MS);
      await Promise.all(dispatcher.sending);
      clearTimeout(deadline);
      await record(db, dispatcher.ended).catch(error =>
        log.warn({ err: error }, 'webhooks: could not record some deliveries; sending them again'),
      );
      await dispatcher.post.close();
    },
  };
}

async function takeDue(dispatcher: Dispatcher): Promise<void> {
  const { hasPending, freed, isStopping, db } = dispatcher;
  if (isStopping) return;
  // Check for changes and failing webhooks after an announced change, and when no delivery has ended since
  // the last check.
  const checksAll = hasPending || freed.size === 0;
  const hasFailing = checksAll || freed.has('failing');
  dispatcher.hasPending = false;
  dispatcher.freed = new Set();
  if (checksAll)
    await db.transaction(async tx => {
      // Only one worker at a time creates messages. For the others, this returns no row.
      const [position] = await tx.run<{ seq: number }>('webhooks/lock_position');
      if (position !== undefined) await tx.run('webhooks/make_messages', { after: position.seq });
    });
  await Promise.all([claim(dispatcher, 'well'), hasFailing && claim(dispatcher, 'failing')]);
}

async function claim(dispatcher: Dispatcher, lane: Lane): Promise<void> {
  const { places, each } = LANES[lane];
  const counts = [...dispatcher.inProgress[lane]];
  const free = places - counts.reduce((sum, [, count]) => sum + count, 0);
  if (free < places / 2) return;
  const rows = await dispatcher.db.run<Taken>('webhooks/claim_deliveries', {
    failing: lane === 'failing',
    busy: counts.map(([id]) => id),
    each,
    limit: free,
    lease: LEASE_SECONDS,
  });
  const bodies = new Map<string, string>();
  for (const taken of rows) {
    const body = bodies.get(taken.message_id) ?? bodyOf(taken, dispatcher.apiUrl);
    bodies.set(taken.message_id, body);
    send(dispatcher, taken, body, lane);
  }
}

function send(dispatcher: Dispatcher, taken: Taken, body: string, lane: Lane): void {
  const { post, sending } = dispatcher;
  const counts = dispatcher.inProgress[lane];
  const { webhook_id: id } = taken;
  counts.set(id, (counts.get(id) ?? 0) + 1);
  const work = post.post(taken.url, headersOf(taken, body), body).then(result => {
    const others = counts.get(id)! - 1;
    if (others === 0) counts.delete(id);
    else counts.set(id, others);
    sending.delete(work);
    dispatcher.ended.push({ taken, result });
    dispatcher.freed.add(lane);
    dispatcher.waking ??= setTimeout(() => {
      dispatcher.waking = undefined;
      dispatcher.wakeLoops();
    }, BATCH_MS);
  });
  sending.add(work);
}

async function recordEnded(dispatcher: Dispatcher): Promise<void> {
  const attempts = dispatcher.ended;
  dispatcher.ended = [];
  await record(dispatcher.db, attempts).catch(error => {
    // Otherwise, the messages would be delivered again when their leases end.
    dispatcher.ended = [...attempts, ...dispatcher.ended];
    throw error;
  });
}

/** Seconds until the next attempt, or null after the last. */
function waitOf({ taken: { attempts }, result }: Attempt): number | null {
  if (result.error === null || result.status === 410) return null;
  const usual = SCHEDULE[attempts + 1];
  if (usual === undefined) return null;
  return Math.max(usual, Math.min(MAX_PAUSE_SECONDS, (result.retryAfterMs ?? 0) / 1_000));
}

async function record(db: Db, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length === 0) return;
  await db.run('webhooks/record_attempts', {
    webhook_ids: attempts.map(({ taken }) => taken.webhook_id),
    message_ids: attempts.map(({ taken }) => taken.message_id),
    turns: attempts.map(({ taken }) => taken.turn),
    statuses: attempts.map(({ result }) => result.status),
    errors: attempts.map(({ result }) => result.error),
    waits: attempts.map(waitOf),
    days: FAILING_DAYS,
  });
}

export type Taken = {
  webhook_id: string;
  message_id: string;
  turn: number;
  /** Number of attempts before this one. */
  attempts: number;
  url: string;
  type: string;
  seq: number;
  fips: number | null;
  at: Date;
  data: Record<string, unknown>;
  /** The time on the database's clock, which all workers use. */
  now: Date;
  /** Newest first. */
  secrets: string[];
};

/**
 * The message doesn't include the changed data. Receivers read it, and pay for it, at `data.read`.
 * @param apiUrl empty to make links relative
 */
export function bodyOf(taken: Taken, apiUrl: string): string {
  const { type, at, data } = taken;
  const path = pathOf(taken);
  return JSON.stringify({
    type,
    timestamp: at.toISOString(),
    data: { ...data, ...(path && { read: `${apiUrl}/api/public/v1/${path}` }) },
  });
}

/** The path of the changes to read. A test message has none. */
function pathOf({ type, seq, fips, data }: Taken): string | undefined {
  if (type === 'webhook.test') return undefined;
  if (type === 'search.changed') return `searches/${data.search_id}/changes/?cursor=${data.after}`;
  const query = new URLSearchParams({ types: type, after: String(seq - 1) });
  if (fips !== null) query.set('fips', fiveDigits(fips));
  if (data.search_id !== undefined) query.set('search_id', String(data.search_id));
  return `changes/?${query}`;
}

/** Headers with a signature for each valid secret, as in Standard Webhooks 1.0. */
export function headersOf({ message_id, now, secrets }: Taken, body: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': `Plat/${version} (+webhooks)`,
    'webhook-id': message_id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': secrets.map(secret => new Webhook(secret).sign(message_id, now, body)).join(' '),
  };
}
