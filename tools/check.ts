// Checks that the type checker and linter can't do: outdated generated files, and the project's own rules.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../api/openapi.ts';
import { rootDir } from '../shared/platform/root.ts';
import { checkCircles } from './checks/circles.ts';
import { checkCompose } from './checks/compose.ts';
import { checkDistributed } from './checks/distributed.ts';
import { checkEnvExample } from './checks/env-example.ts';
import { readSources } from './checks/files.ts';
import { checkFunctionLength } from './checks/function-length.ts';
import { checkGenerated, generatedFiles } from './checks/generated-files.ts';
import {
  checkFileNames,
  checkFileSizes,
  checkMentions,
  checkPages,
  checkQueries,
} from './checks/house-rules.ts';
import { checkOpenApi } from './checks/lint-openapi.ts';
import { checkMigrations } from './checks/migrations.ts';
import { addedLines, findPhrases } from './checks/phrases.ts';
import { checkCommentNames, checkCommentWidth, checkSpreads } from './checks/style.ts';

const write = process.argv.includes('--write');
const files = readSources(rootDir);
// Start this first, so that PostgreSQL migrates while Spectral runs, which takes several seconds.
const generated = checkGenerated(generatedFiles, write);
const problems = [
  ...checkFileSizes(files),
  ...checkFileNames(files),
  ...checkFunctionLength(files),
  ...checkQueries(files),
  ...checkPages(files),
  ...checkMentions(files),
  ...checkCommentWidth(files),
  ...checkCommentNames(files),
  ...checkSpreads(files),
  ...checkDistributed(files),
  ...checkMigrations(files),
  ...checkCircles(files),
  ...checkEnvExample(readFileSync(join(rootDir, '.env.example'), 'utf8')),
  ...checkCompose(readFileSync(join(rootDir, 'docker-compose.yml'), 'utf8')),
  ...(await checkOpenApi(openApiDocument())),
  ...(await generated),
];
// Style is a matter of judgment, so these only warn.
for (const phrase of findPhrases(addedLines(rootDir))) console.warn(`! ${phrase}`);
for (const problem of problems) console.error(`✗ ${problem}`);
if (problems.length === 0)
  console.log(`Checked ${files.length} files. Generated files are up to date, and all rules pass.`);
process.exitCode = problems.length === 0 ? 0 : 1;
