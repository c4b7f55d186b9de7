/** The most items in one statement: bounds its size, far above the requests that are in flight at once. */
const MAX_ITEMS = 1_000;

type Waiting<Item, Outcome> = {
  item: Item;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
};

/**
 * Group commit: what arrives while a batch is being worked on waits and then goes together, so that the cost of a
 * round trip and of a commit is shared by however many calls are in flight. Nothing waits when nothing is in flight,
 * except for what else arrives in the same turn of the event loop.
 * @param run does the work and returns the outcomes in the order of the items; when it throws, all of them fail.
 */
export function batch<Item, Outcome>(
  run: (items: Item[]) => Promise<Outcome[]>,
): (item: Item) => Promise<Outcome> {
  let waiting: Waiting<Item, Outcome>[] = [];
  let running = false;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const now = waiting.slice(0, MAX_ITEMS);
      waiting = waiting.slice(MAX_ITEMS);
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
      if (running) return;
      running = true;
      setImmediate(drain);
    });
}
