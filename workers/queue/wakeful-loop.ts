/** Does its turn again and again: when it is woken, and by itself after a while. */
export type WakefulLoop = { wake(): void; stop(): Promise<void> };

/** @param failed is told of a turn that failed; the next one comes all the same */
export function startLoop(
  turn: () => Promise<unknown>,
  everyMs: number,
  failed: (error: unknown) => void,
): WakefulLoop {
  let isStopping = false;
  let isAwake = true;
  let wakeUp = () => {};
  const wake = () => {
    isAwake = true;
    wakeUp();
  };
  const look = setInterval(wake, everyMs);
  async function run(): Promise<void> {
    while (!isStopping) {
      if (!isAwake)
        await new Promise<void>(resolve => {
          wakeUp = resolve;
        });
      isAwake = false;
      await turn().catch(failed);
    }
  }
  const running = run();
  return {
    wake,
    async stop() {
      isStopping = true;
      clearInterval(look);
      wake();
      await running;
    },
  };
}
