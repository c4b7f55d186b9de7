/** Repeats a task: when woken, and automatically after a while. */
export type WakefulLoop = { wake(): void; stop(): Promise<void> };

/** @param failed called after a turn that failed. The next one runs anyway */
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
