import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { rootDir } from '../../../shared/platform/root.ts';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { VERSIONS } from '../../support/mcp.ts';

// The official conformance suite, which npm run check:mcp downloads. It needs Node 22. The stable release of
// the suite doesn't test protocol version 2026-07-28.
const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';

type Check = { id: string; status: string; errorMessage?: string };

const FILE = join(rootDir, 'test/e2e/mcp/not-applicable.json');
const notApplicable = (JSON.parse(readFileSync(FILE, 'utf8')) as { checks: string[] }[]).flatMap(
  ({ checks }) => checks,
);

const isWanted = process.env.MCP_CONFORMANCE !== undefined;
const db = isWanted ? await createTestDatabase({}, { sample: true }) : undefined;

/** The address of a proxy that adds the key, because the suite can't send one. */
async function addressWithKey(): Promise<{ url: string; apiUrl: string }> {
  const api = await startTestApi(db!);
  const { key } = await newCaller(db!, {}, { scopes: ['api:mcp'] });
  const proxy = createServer((incoming, response) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const { method = 'GET', url = '/' } = incoming;
    const passed = request(new URL(url, api.url), { method, headers }, answer => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`, apiUrl: api.url };
}

/** Runs the suite. @returns the checks, and what it printed */
async function runSuite(args: string): Promise<{ checks: Check[]; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'plat-conformance-'));
  const command = `conformance ${args} --output-dir ${folder}`;
  const child = spawn('npx', ['--yes', '-p', 'node@22', '-p', SUITE, '-c', command], { cwd: folder });
  const [printed, faults] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const checks = files
    .filter(file => file.endsWith('checks.json'))
    .flatMap(file => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Check[]);
  rmSync(folder, { recursive: true });
  return { checks, output: printed + faults };
}

test.runIf(isWanted)(
  'all checks of the conformance suite pass that apply',
  { timeout: 900_000 },
  async () => {
    const { url, apiUrl } = await addressWithKey();
    const failed = new Set<string>();
    const runs = [
      ...VERSIONS.map(version => `server --url ${url} --requirements ${version} --timeout 120000`),
      `authorization --url ${apiUrl} --scenario authorization-server-metadata-endpoint`,
    ];
    for (const run of runs) {
      const { checks, output } = await runSuite(run);
      const count = (status: string) => checks.filter(check => check.status === status).length;
      process.stdout.write(`${run}: ${count('SUCCESS')} passed, ${count('FAILURE')} failed\n`);
      expect(count('SUCCESS'), output).toBeGreaterThan(run.startsWith('server') ? 30 : 0);
      for (const { id, status, errorMessage } of checks) {
        if (status !== 'FAILURE') continue;
        failed.add(id);
        expect.soft(notApplicable, `${run}: ${id}: ${errorMessage}`).toContain(id);
      }
    }
    expect(notApplicable.filter(id => !failed.has(id))).toEqual([]);
  },
);
