// Prints `N passed, N failed` from the JSON reports of vitest runs, and nothing else, on one line.
//   node tools/test-summary.mjs REPORT …
import { readFileSync } from 'node:fs';

let passed = 0;
let failed = 0;
let complete = true;
for (const path of process.argv.slice(2)) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  // A file that fails outside of its tests (in an import or a hook) has no failed test, so count it as one.
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every(test => test.status !== 'failed'),
  ).length;
  passed += report.numPassedTests;
  failed += report.numFailedTests + brokenFiles;
  complete &&= report.success && report.numPassedTests > 0;
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && complete ? 0 : 1;
