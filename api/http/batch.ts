/** Maximum number of items per statement, which is far above the number of concurrent requests. */
const MAX_ITEMS = 1_000;

/** After a batch of up to this size, there is no pause, because it would delay callers for no benefit. */
const MIN_BATCH = 4;

type Pending<Item, Outcome> = {
  item: Item;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
};

export type Pause = {
  /** Maximum time. */
  ms: number;
  /** Once this many items are waiting, the pause ends early. */
  enough(): number;
};

/**
 * Group commit. Items that arrive while a batch runs form the next batch, with one round trip and one commit.
 * Nothing waits when no batch is running.
 * @param run returns the outcomes in the order of the items. If it throws, all items fail.
 * @param pause for expensive batches: after a batch of more than a few items, the next one waits for items
 * that are about to arrive.
 */
export function batch<Item, Outcome>(
  run: (items: Item[]) => Promise<Outcome[]>,
  pause?: Pause,
): (item: Item) => Promise<Outcome> {
  let waiting: Pending<Item, Outcome>[] = [];
  let running = false;
  let lastSize = 0;
  /** Ends the current pause. Undefined if there is none. */
  let resume: (() => void) | undefined;

  const complete = () => pause === undefined || waiting.length >= Math.min(pause.enough(), MAX_ITEMS);

  async function gather(): Promise<void> {
    if (lastSize <= MIN_BATCH || complete()) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>(resolve => {
      resume = resolve;
      timer = setTimeout(resolve, pause!.ms);
    });
    clearTimeout(timer);
    resume = undefined;
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      await gather();
      const now = waiting.slice(0, MAX_ITEMS);
      waiting = waiting.slice(MAX_ITEMS);
      lastSize = now.length;
      try {
        const outcomes = await run(now.map(entry => entry.item));
        for (const [index, entry] of now.entries()) entry.resolve(outcomes[index]!);
      } catch (error) {
        for (const entry of now) entry.reject(error);
      }
    }
    running = false;
  }

  return item =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (resume !== undefined && complete()) resume();
      if (running) return;
      running = true;
      setImmediate(drain);
    });
}
