import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { addDeal, type DealFields, findBoard, type Owner } from '../../shared/deals/deal-board.ts';
import { ingestJob } from '../../shared/feeds/ingest-runs.ts';
import { MODEL_VERSION } from '../../shared/kernels/valuation/model.ts';
import type { Config } from '../../shared/platform/config.ts';
import type { Db } from '../../shared/platform/db.ts';
import { enqueue, retryWhileUnreachable, waitForJob } from '../../shared/platform/queue/jobs.ts';
import type { Feed } from '../../workers/ingest/all-kinds.ts';
import { installedFeeds, isBundled } from '../../workers/ingest/feed-folders.ts';
import { planLandAttributesJob } from '../../workers/land/plan-land-attributes-job.ts';
import { recomputeMarketJob } from '../../workers/market/recompute-market-job.ts';
import { valueAllCountiesJob } from '../../workers/valuation/value-all-counties-job.ts';
import { openProgress } from '../common/cli-enqueue.ts';
import { print } from '../common/cli-output.ts';

/** Computing the sample's attributes takes about ten seconds on two cores. */
const SAMPLE_PATIENCE_MS = 100_000;
/**
 * If startup doesn't ingest anything, it waits only this long. The workers then finish any remaining work.
 */
const PATIENCE_MS = 3_000;

type StartupContext = { db: Db; deliver(ids: string[]): Promise<void>; signal: AbortSignal };

/**
 * Work that is due after a merge: how much is waiting, whether it has an open job, and how to enqueue one.
 */
type Due = {
  /** @returns the amount of waiting work */
  look(db: Db): Promise<{ waiting: number; open: boolean }>;
  ask(db: Db): Promise<{ id: string }>;
  failed: string;
  goesOn(waiting: number): string;
};

const STATISTICS: Due = {
  async look(db) {
    const rows = await db.run<{ due: boolean; open: boolean }>('market/get_dirty_state');
    return { waiting: Number(rows[0]!.due), open: rows[0]!.open };
  },
  ask: db => enqueue(db, recomputeMarketJob, { scope: { dirty: true } }),
  failed: "Some statistics couldn't be computed",
  goesOn: () => '',
};

export const ATTRIBUTE_JOBS: Due = {
  async look(db) {
    return (await db.run<{ waiting: number; open: boolean }>('land/get_dirty_state'))[0]!;
  },
  ask: db => enqueue(db, planLandAttributesJob, { scope: { dirty: true } }),
  failed: "Some land attributes couldn't be computed",
  goesOn: waiting =>
    `The workers are still computing land attributes for ${waiting.toLocaleString('en-US')} parcels.`,
};

export const VALUATION_JOBS: Due = {
  async look(db) {
    const rows = await db.run<{ due: boolean; unfitted: boolean; open: boolean }>(
      'valuation/get_dirty_state',
      { model_version: MODEL_VERSION },
    );
    const { due, unfitted, open } = rows[0]!;
    return { waiting: Number(due || unfitted || open), open };
  },
  ask: db => enqueue(db, valueAllCountiesJob, {}),
  failed: "Some parcels couldn't be valued",
  goesOn: () => 'The workers are still valuing parcels.',
};

/** Waits for statistics to finish, but waits for the rest only as long as startup should take. */
export async function finishDueJobs(start: StartupContext, ingested: boolean): Promise<void> {
  const patienceMs = ingested ? SAMPLE_PATIENCE_MS : PATIENCE_MS;
  await finishJobs(STATISTICS, start, Number.POSITIVE_INFINITY);
  await finishJobs(ATTRIBUTE_JOBS, start, patienceMs);
  // On the first start, counties were valued before others had sales. Value every county again.
  await finishJobs(VALUATION_JOBS, start, patienceMs, ingested);
  // Valuations produce the price indices that statistics include.
  await finishJobs(STATISTICS, start, patienceMs);
}

/**
 * Waits until nothing is due. Enqueues a job if none is open. With `anyway`, it does so even if nothing is
 * due.
 */
export async function finishJobs(
  due: Due,
  { db, deliver, signal }: StartupContext,
  patienceMs: number,
  anyway = false,
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (let asked = false; ; ) {
    const { waiting, open } = await retryWhileUnreachable(() => due.look(db), signal);
    if (waiting === 0 && (asked || !anyway)) return;
    if (!open) {
      if (asked) return print(`${due.failed}. See \`npx plat status\`.`);
      await deliver([(await due.ask(db)).id]);
      asked = true;
    }
    if (Date.now() > deadline) return print(due.goesOn(waiting));
    await sleep(100, undefined, { signal });
  }
}

export async function missingSamples(db: Db, config: Config): Promise<Feed[]> {
  const rows = await db.run<{ name: string }>('feeds/list_ingested_feeds');
  const present = new Set(rows.map(row => row.name));
  const { feeds } = await installedFeeds(config);
  return feeds.filter(feed => isBundled(feed) && !present.has(feed.name));
}

export async function ingestSamples({ db, deliver, signal }: StartupContext, feeds: Feed[]): Promise<void> {
  const terms = { force: false, sources: {}, requestedBy: 'plat up' };
  const jobs = await Promise.all(
    feeds.map(async ({ name }) => ({ name, ...(await enqueue(db, ingestJob, { feed: name, ...terms })) })),
  );
  await deliver(jobs.map(job => job.id));
  // Every job that is waited for adds a listener.
  setMaxListeners(0, signal);
  const view = openProgress(process.stdout);
  const wait = async ({ name, id }: (typeof jobs)[number]) => {
    const state = await waitForJob(db, id, { signal, onState: seen => view.update(name, seen) });
    return { ...state, name };
  };
  const states = await Promise.all(jobs.map(wait)).finally(() => view.stop());
  for (const { name, status, result, error } of states) {
    const blocked = (result as { status?: string } | null)?.status === 'blocked';
    if (status === 'done' && !blocked) continue;
    const why = blocked ? 'the gate blocked it' : error;
    print(`Couldn't load the bundled feed ${name}: ${why} (see \`npx plat runs\`)`);
  }
}

/** Five lots for the demo user, one per stage. All of them are listings in the sample. */
const DEALS: readonly (DealFields & { apn: string })[] = [
  { apn: '14-341', status: 'listed', purchase_price: '9500.00', agent_fee: '1800.00' },
  { apn: '9-11', status: 'offer_received', purchase_price: '11000.00', closing_costs: '850.00' },
  { apn: '19-15', status: 'offer_accepted', purchase_price: '14500.00', expected_sell_price: '30000.00' },
  {
    apn: '16-71-02',
    status: 'in_title',
    deal_type: 'double_close',
    purchase_price: '12000.00',
    expected_sell_price: '20500.00',
    contract_expiration_date: '2025-11-15',
    closing_date: '2025-10-31',
  },
  {
    apn: '20-20',
    status: 'sold',
    purchase_price: '3200.00',
    misc_costs: '150.00',
    expected_sell_price: '8600.00',
  },
];

/** Longer than the five jobs take, even if they have to wait behind others. */
const DEALS_PATIENCE_MS = 20_000;

/** Adds the sample's deals to a board that has never been used, and waits for their listings. */
export async function addSampleDeals({ db, signal }: StartupContext, owner: Owner): Promise<void> {
  const isNew = await db.transaction(async tx => {
    if ((await findBoard(tx, owner)) !== undefined) return false;
    for (const { apn, ...fields } of DEALS) {
      const [listing] = await tx.run<{ id: string }>('deals/find_live', {
        pattern: null,
        apn,
        fips: 33_019,
        zip: null,
      });
      if (listing !== undefined) await addDeal(tx, owner, { listing_id: listing.id }, fields);
    }
    return true;
  });
  for (const deadline = Date.now() + DEALS_PATIENCE_MS; isNew && Date.now() < deadline; ) {
    const rows = await db.run<{ waiting: number }>('deals/count_waiting');
    if (rows[0]!.waiting === 0) return;
    await sleep(100, undefined, { signal });
  }
}
