import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';
import { rootDir } from '../../shared/platform/root.ts';

/** The previous release. Update it after each release. */
const PREVIOUS = 'a1ecaab09105b7aec32f2faebb809260dc26162c';
const PROGRAM = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  '.npmrc',
  'bin',
  'sql',
  'shared',
  'workers',
  'api',
];

const git = (...args: string[]) => spawnSync('git', ['-C', rootDir, ...args], { maxBuffer: 2 ** 30 });

/** Whether the clone contains the previous release. A shallow clone or an archive doesn't. */
export const hasPrevious = git('cat-file', '-e', `${PREVIOUS}^{commit}`).status === 0;

/** The packages that a release installs, except the release itself. */
function packagesOf(root: string): string {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return JSON.stringify(Object.entries(packages).filter(([path]) => path.includes('node_modules/')));
}

/**
 * Extracts the previous release from the Git history into a folder. It uses our packages if both releases
 * require the same ones.
 */
export function unpackPrevious(folder: string): void {
  mkdirSync(folder);
  const { stdout } = git('archive', PREVIOUS, ...PROGRAM);
  execFileSync('tar', ['-x', '-C', folder], { input: stdout });
  if (packagesOf(folder) !== packagesOf(rootDir)) {
    execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline'], { cwd: folder });
    return;
  }
  // It needs its own node_modules folder, in which it compiles its program.
  const [ours, its] = [rootDir, folder].map(root => join(root, 'node_modules')) as [string, string];
  mkdirSync(its);
  for (const name of readdirSync(ours).filter(each => !each.startsWith('.')))
    symlinkSync(join(ours, name), join(its, name));
}

export type Service = { child: ChildProcess; log(): string; stop(): Promise<void> };
export type ApiService = Service & { url: string };

/** Starts a release's programs on a database from the release's folder, as an operator would. */
export function releaseServices(settings: Record<string, string>) {
  const env = { PATH: process.env.PATH, LOG_LEVEL: 'info', ...settings };
  const children: ChildProcess[] = [];
  const logs: (() => string)[] = [];
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
  });
  const bin = (root: string) => join(root, 'bin', 'plat.mjs');

  /** @param ready matches its log once it is serving requests */
  async function start(root: string, name: 'api' | 'worker', ready: RegExp) {
    const child = spawn(process.execPath, [bin(root), name], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    children.push(child);
    let log = '';
    logs.push(() => log);
    const said = await new Promise<string>((resolve, reject) => {
      child.stderr!.on('data', chunk => {
        log += chunk;
        const found = ready.exec(log);
        if (found !== null) resolve(found[1] ?? '');
      });
      child.once('exit', () => reject(new Error(`plat ${name} of ${root} did not start: ${log}`)));
    });
    return {
      child,
      said,
      log: () => log,
      async stop() {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
      },
    };
  }

  return {
    /** Errors that the processes logged, with the cause that the client doesn't see. */
    loggedErrors: () =>
      logs.flatMap(log =>
        log()
          .split('\n')
          .filter(line => line.includes('"err":')),
      ),
    /** Runs a command of a release and returns its JSON output. */
    async plat(root: string, ...argv: string[]) {
      const { stdout } = await promisify(execFile)(process.execPath, [bin(root), ...argv, '--json'], { env });
      return JSON.parse(stdout);
    },
    async startApi(root: string): Promise<ApiService> {
      const { said, ...service } = await start(root, 'api', /"url":"([^"]+)"/);
      return { ...service, url: said };
    },
    startWorker: (root: string): Promise<Service> => start(root, 'worker', /worker ready/),
  };
}
