import { readDnc } from '../../../formats/dnc-file.ts';
import { openSource } from '../../../formats/source.ts';
import { addProblem } from '../../engine/check-part.ts';
import { checkContext, type DryRun } from '../../engine/dry-run.ts';
import type { DncFeed } from './dnc-feed.ts';

const FAULTS_SHOWN = 5;

/** Counts the numbers in the files. A list is read completely, which takes a minute for the whole country. */
export async function checkRegistry({ result }: DryRun, { baseDir, dnc }: DncFeed): Promise<void> {
  const columns = dnc.list === 'changes' ? dnc.columns : null;
  for (const source of dnc.sources) {
    const [numbers, faults] = [{ added: 0, removed: 0 }, [] as string[]];
    try {
      const opened = await openSource(
        source,
        { extensions: ['.txt', '.csv', '.xml'] },
        checkContext(baseDir),
      );
      const lines = await readDnc(opened.bytes(), columns, {
        add: () => void numbers.added++,
        remove: () => void numbers.removed++,
        bad: (lineNo, what) =>
          void (faults.length < FAULTS_SHOWN && faults.push(`dnc: ${source} line ${lineNo} ${what}`)),
      }).finally(opened.close);
      if (numbers.added + numbers.removed === 0)
        result.problems.push(`dnc: ${source} has no phone numbers in ${lines} lines.`);
      result.warnings.push(...faults);
    } catch (error) {
      addProblem(result.problems, 'dnc', error);
    }
  }
}
