import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { createKey } from '../../shared/accounts/accounts.ts';
import { MAP_SCOPE } from '../../shared/accounts/tiers.ts';
import { rootDir } from '../../shared/platform/root.ts';
import { newCaller, startTestApi } from '../support/api.ts';
import { ARGS, CHROMIUM } from '../support/chromium.ts';
import { createTestDatabase } from '../support/database.ts';
import { makeExports } from '../support/exports.ts';
import { testFolder } from '../support/folder.ts';
import { drawNothing } from '../support/graphics.ts';
import { serve } from '../support/http-server.ts';
import { makeChanges } from '../support/webhooks.ts';

// Every recipe in docs/recipes.md runs as it is printed, against a real server.

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const { key } = await newCaller(db);
const folder = testFolder();
mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
symlinkSync(
  join(rootDir, 'client', 'bin', 'plat-client.mjs'),
  join(folder, 'node_modules', '.bin', 'plat-client'),
);

type Recipe = { language: string; code: string };
const recipes = new Map<string, Recipe>(
  readFileSync(join(rootDir, 'docs', 'recipes.md'), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map(section => {
      const [, language, code] = /```(sh|tsx?)\n([\s\S]*?)```/.exec(section)!;
      return [section.split('\n')[0]!, { language: language!, code: code! }];
    }),
);

const env = { PATH: process.env.PATH!, HOME: folder, PLAT_URL: api.url, PLAT_KEY: key };

function startProgram(program: string, args: string[], more: Record<string, string> = {}) {
  const child = spawn(program, args, { cwd: folder, env: { ...env, ...more } });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Runs a program, and the worker's part of the files that it orders. */
async function run(program: string, args: string[]): Promise<string> {
  const child = startProgram(program, args);
  let code: number | null | undefined;
  child.once('exit', ended => {
    code = ended;
  });
  const output = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  while (code === undefined) {
    await makeExports(db);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  const [out, err] = await output;
  expect([code, err]).toEqual([0, expect.any(String)]);
  return out;
}

const isInstalled = (program: string) => spawnSync(program, ['--version']).error === undefined;

/** Runs a recipe's commands, without those of programs that aren't installed here. */
function runShell(title: string): Promise<string> {
  const commands = recipes.get(title)!.code.split(/^(?=\w)/m);
  const code = commands.filter(command => isInstalled(command.split(' ')[0]!)).join('');
  return run('bash', ['-euo', 'pipefail', '-c', code]);
}

async function bundle(title: string): Promise<string> {
  const outfile = join(folder, `${title.replaceAll(' ', '-')}.mjs`);
  await build({
    stdin: { contents: recipes.get(title)!.code, loader: 'ts', resolveDir: rootDir },
    alias: { 'plat-client': join(rootDir, 'client', 'src', 'index.ts') },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
  });
  return outfile;
}

const runProgram = async (title: string) => run(process.execPath, [await bundle(title)]);

async function countOf(filter: object): Promise<number> {
  const { json } = await api.call('/api/public/v1/properties/filter/', {
    key,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ county: '33019', ...filter }),
  });
  return (json as { count: number }).count;
}

const linesOf = (out: string): string[] => out.trim().split(/\r?\n/);
const readLines = (name: string): string[] => linesOf(readFileSync(join(folder, name), 'utf8'));

const RECIPES: Record<string, () => Promise<void>> = {
  'Count before you buy': async () => {
    const count = await countOf({ acres_min: 5, acres_max: 40, out_of_state_owner: true });
    const out = await runShell('Count before you buy');
    expect(linesOf(out)[0]).toMatch(new RegExp(`^parcels +${count}$`));
  },
  'Open parcels in a spreadsheet': async () => {
    await runShell('Open parcels in a spreadsheet');
    expect(readLines('parcels.csv')).toHaveLength((await countOf({ acres_min: 20 })) + 1);
  },
  'Query a file with DuckDB': async () => {
    const out = await runShell('Query a file with DuckDB');
    expect(readFileSync(join(folder, 'sullivan.parquet')).subarray(0, 4).toString()).toBe('PAR1');
    if (isInstalled('duckdb')) expect(out).toMatch(/median_acres/);
  },
  'Draw parcels in QGIS': async () => {
    const out = await runShell('Draw parcels in QGIS');
    expect(readFileSync(join(folder, 'sullivan.gpkg')).subarray(0, 13).toString()).toBe('SQLite format');
    if (isInstalled('ogrinfo')) expect(out).toContain(`Feature Count: ${await countOf({})}`);
  },
  'Send letters to owners': async () => {
    await runProgram('Send letters to owners');
    const [head, ...letters] = readLines('letters.csv');
    expect(head).toMatch(/reference,.*mail_address,.*offer/);
    expect(letters.length).toBeGreaterThan(10);
  },
  'Watch markets': async () => {
    expect(await runProgram('Watch markets')).toMatch(/^\d{4}-\d\d-\d\d Sullivan NH \d+ [\d.]+$/m);
  },
  'Read comps within a budget': async () => {
    expect(linesOf(await runProgram('Read comps within a budget'))).toHaveLength(50);
  },
  'Keep a copy up to date': async () => {
    const title = 'Keep a copy up to date';
    const count = await countOf({});
    expect(Number(await runProgram(title))).toBe(count);
    await makeChanges(db, 33_019, 2, 'parcel.retired');
    expect(Number(await runProgram(title))).toBe(count - 2);
  },
  'Receive webhooks': async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const port = await freePort();
    const child = startProgram(process.execPath, [await bundle('Receive webhooks')], {
      PLAT_WEBHOOK_SECRET: secret,
      PORT: String(port),
    });
    let out = '';
    child.stdout.on('data', bytes => {
      out += bytes;
    });
    const body = JSON.stringify({
      type: 'parcel.changed',
      timestamp: '',
      data: { fips: '33019', changes: 7 },
    });
    const send = (signed: string) =>
      fetch(`http://127.0.0.1:${port}`, {
        method: 'POST',
        body,
        headers: {
          'webhook-id': 'a',
          'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
          'webhook-signature': new Webhook(secret).sign('a', new Date(), signed),
        },
      }).then(
        ({ status }) => status,
        () => undefined,
      );
    await expect.poll(() => send(body)).toBe(204);
    expect(await send('another body')).toBe(400);
    await expect.poll(() => out).toContain('parcel.changed 33019 7');
  },
  'Show parcels on a React map': async () => {
    const site = await startSite(recipes.get('Show parcels on a React map')!.code);
    const { accountId } = await newCaller(db);
    const map = await createKey(db.pool, accountId, {
      name: 'map',
      scopes: [MAP_SCOPE],
      origins: [site.origin],
    });
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    await page.addInitScript(drawNothing);
    const tiles: number[] = [];
    page.on('response', response => {
      if (response.url().includes('/WebMercatorQuad/')) tiles.push(response.status());
    });
    await page.goto(`${site.origin}/?${new URLSearchParams({ plat: api.url, token: map.key })}`);
    await expect.poll(() => tiles).toContain(200);
    expect(await page.locator('canvas').count()).toBe(1);
  },
};

/** A web page that shows the map in the middle of Washington, New Hampshire. */
async function startSite(component: string) {
  const start = `import { h, render } from 'preact';
const given = new URLSearchParams(location.search);
const props = { plat: given.get('plat'), token: given.get('token'), center: [-72.1, 43.17] };
render(h(ParcelMap, props), document.body);`;
  const { outputFiles } = await build({
    stdin: { contents: component + start, loader: 'tsx', resolveDir: rootDir },
    alias: { react: 'preact/compat' },
    external: ['maplibre-gl'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    bundle: true,
    write: false,
    format: 'esm',
  });
  const html = `<!doctype html><script type="importmap">{"imports":{"maplibre-gl":"/maplibre-gl.mjs"}}</script>
<body><script type="module" src="/recipe.mjs"></script></body>`;
  const site = await serve((request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost');
    response.setHeader('Content-Type', pathname === '/' ? 'text/html' : 'text/javascript');
    if (pathname === '/') return response.end(html);
    if (pathname === '/recipe.mjs') return response.end(outputFiles[0]!.text);
    const file = join(rootDir, 'node_modules', 'maplibre-gl', 'dist', basename(pathname));
    response.end(existsSync(file) ? readFileSync(file) : '');
  });
  onTestFinished(site.close);
  return site;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

test('there is a test for each recipe', () => {
  expect([...recipes.keys()]).toEqual(Object.keys(RECIPES));
});

const needsBrowser = (title: string) => recipes.get(title)?.language === 'tsx';

for (const title of Object.keys(RECIPES))
  test.skipIf(needsBrowser(title) && !existsSync(CHROMIUM))(title, RECIPES[title]);

test('the TypeScript of the programs compiles under strict', () => {
  const types = join(folder, 'types');
  mkdirSync(types);
  for (const [title, { language, code }] of recipes)
    if (language === 'ts') writeFileSync(join(types, `${title}.ts`), `${code}\nexport {};\n`);
  const config = {
    extends: join(rootDir, 'tsconfig.json'),
    compilerOptions: {
      types: ['node'],
      typeRoots: [join(rootDir, 'node_modules', '@types')],
      paths: { 'plat-client': [join(rootDir, 'client', 'src', 'index.ts')] },
    },
    include: ['*'],
  };
  writeFileSync(join(types, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(types, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(rootDir, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '--noEmit', '-p', types], { encoding: 'utf8' });
  expect(stdout).toBe('');
});
