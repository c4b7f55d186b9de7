/** The most items in one statement: bounds its size, far above the requests that are in flight at once. */
const MAX_ITEMS = 1_000;

/** After a batch of at most this size there is no pause: callers that come one by one would wait in vain. */
const MIN_BATCH = 4;

type Pending<Item, Outcome> = {
  item: Item;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
};

export type Pause = {
  /** The longest. */
  ms: number;
  /** With this many waiting items the pause ends early. */
  enough(): number;
};

/**
 * Group commit: what arrives while a batch is worked on goes together after it, in one round trip and one
 * commit. Nothing waits when nothing is in flight.
 * @param run returns the outcomes in the order of the items; when it throws, all of them fail.
 * @param pause for work that costs much a batch: after one of more than a few items, the next pauses for
 * those that are on their way.
 */
export function batch<Item, Outcome>(
  run: (items: Item[]) => Promise<Outcome[]>,
  pause?: Pause,
): (item: Item) => Promise<Outcome> {
  let waiting: Pending<Item, Outcome>[] = [];
  let running = false;
  let lastSize = 0;
  /** Ends the pause; undefined when there is none. */
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
