// Does what the Dockerfile does, without an engine: copies what it copies into an empty folder, runs what it runs,
// and starts the program there as the image would. Takes about half a minute: `npm run test:image`.
import { execFileSync, execSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootDir } from '../shared/root.ts';
import { copiedPaths, inContext, readDockerfile, type Stage } from './checks/dockerfile.ts';

const dockerignore = readFileSync(join(rootDir, '.dockerignore'), 'utf8');
const [packages, image] = readDockerfile(readFileSync(join(rootDir, 'Dockerfile'), 'utf8')) as [Stage, Stage];
const folder = mkdtempSync(join(tmpdir(), 'plat-image-'));

function copyInto(stage: Stage, dir: string): void {
  mkdirSync(dir);
  for (const path of copiedPaths(stage)) {
    if (!inContext(dockerignore, path))
      throw new Error(`.dockerignore keeps ${path} out of the build context`);
    cpSync(join(rootDir, path), join(dir, path), { recursive: true });
  }
}

function megabytes(dir: string): number {
  return Number(execFileSync('du', ['-sm', dir], { encoding: 'utf8' }).split('\t')[0]);
}

try {
  const build = join(folder, 'build');
  const app = join(folder, 'app');
  copyInto(packages, build);
  for (const { name, args } of packages.instructions) {
    if (name === 'RUN') execSync(args, { cwd: build, stdio: 'inherit' });
  }
  copyInto(image, app);
  renameSync(join(build, 'node_modules'), join(app, 'node_modules'));

  const entry = image.instructions.find(({ name }) => name === 'ENTRYPOINT');
  const [program, ...args] = JSON.parse(entry!.args) as [string, ...string[]];
  const start = (option: string) =>
    execFileSync(program, [...args, option], {
      cwd: app,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    });
  console.log(`plat --version: ${start('--version').trim()}`);
  if (!start('--help').includes('worker')) throw new Error('plat --help does not mention the workers');
  console.log(
    `/app takes ${megabytes(app)} MB, of which packages ${megabytes(join(app, 'node_modules'))} MB`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
