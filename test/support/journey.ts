import { test } from 'vitest';

/**
 * A test of several steps that go on from each other. They are one test, so that no step can be left out or run
 * before another.
 */
export function journey(
  title: string,
  tell: (step: (name: string, work: () => Promise<void>) => void) => void,
) {
  const steps: [string, () => Promise<void>][] = [];
  tell((name, work) => steps.push([name, work]));
  test(title, async () => {
    for (const [name, work] of steps)
      await work().catch(error => {
        if (error instanceof Error) error.message = `${name}: ${error.message}`;
        throw error;
      });
  });
}
