import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that replace modules. This affects everything loaded after them in the same process. */
const replacing = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.test.ts'))
  .map(name => join('test', name).replaceAll('\\', '/'))
  .filter(file => /\bvi\.(mock|doMock|resetModules)\(/.test(readFileSync(file, 'utf8')));

/** Folders in order, slowest files first. With short files at the end, all processes finish together. */
const FOLDERS = ['/test/e2e/', '/test/db/', '/test/properties/', '/test/words/', '/test/unit/'];

/** Tests of journeys, killed programs, and large counties. `npm test -- --project slow` runs these too. */
const SLOW = 'test/**/*.slow.test.ts';

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) =>
      project.config.isolate ? -1 : FOLDERS.findIndex(folder => moduleId.includes(folder));
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

const isWhole = process.argv.includes('slow');
/** While slow files run, or on a machine that is running several jobs, a test may take minutes. */
const timeout = isWhole || process.env.CI ? 300_000 : 60_000;

const common: TestProjectInlineConfiguration['test'] = {
  env: isWhole ? {} : { PROPERTY_SHARE: String(1 / 3) },
  setupFiles: 'test/support/seed.ts',
  // Use processes rather than threads, because tests start servers, handle signals, and load native modules.
  pool: 'forks',
  // As in the product's workers, each process collects garbage on its own thread instead of on the others'
  // cores, which saves 3% of the CPU time. A large nursery saves 15% in the property and kernel tests, with
  // the same memory.
  execArgv: ['--single-threaded-gc', '--min-semi-space-size=32', '--max-semi-space-size=64'],
  // Ends a test that hangs.
  testTimeout: timeout,
  hookTimeout: timeout,
  expect: { poll: { timeout: 60_000 } },
};

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...replacing, SLOW],
          // Reloading the program for each of 200 files took a third of the run.
          isolate: false,
        },
      },
      { test: { ...common, name: 'slow', include: [SLOW], isolate: false } },
      { test: { ...common, name: 'alone', include: replacing } },
    ],
  },
});
