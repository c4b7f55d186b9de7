import { test } from 'vitest';

/**
 * A test with several steps that depend on each other. Because they are one test, they can't be skipped or
 * run out of order.
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
