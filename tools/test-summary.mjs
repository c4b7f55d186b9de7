// Prints `N passed, N failed` from the JSON report of a vitest run, and nothing else, on one line.
//   node tools/test-summary.mjs REPORT
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
// A file that fails before or beside its tests (an import, a hook) has no failed test of its
// own: it counts as one.
const brokenFiles = report.testResults.filter(
  ({ status, assertionResults }) =>
    status === 'failed' && assertionResults.every(test => test.status !== 'failed'),
).length;
const failed = report.numFailedTests + brokenFiles;
process.stdout.write(`${report.numPassedTests} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && report.success && report.numPassedTests > 0 ? 0 : 1;
