/** A loop that runs a task when woken, and at regular intervals. */
export type WakefulLoop = { wake(): void; stop(): Promise<void> };

/** @param failed called after a failed turn. The next turn runs anyway */
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
