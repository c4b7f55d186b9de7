import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endpoints } from '../../api/endpoints.ts';
import { rootDir } from '../../shared/platform/root.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';

const db = await createTestDatabase();
const api = await startTestApi(db, { env: { BASE_URL: 'https://plat.example.org' } });
const read = async (path: string) => {
  const response = await fetch(api.url + path);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  return response.text();
};

test('/llms.txt has the form of llmstxt.org, and every call with its price', async () => {
  const lines = (await read('/llms.txt')).split('\n');
  expect([lines[0], lines[2]]).toEqual(['# Plat', expect.stringMatching(/^> /)]);
  for (const { method, path, operationId } of endpoints) {
    const [line] = lines.filter(text => text.includes(`#${operationId})`));
    const call = `${method.toUpperCase()} ${path.replace('/api/public/v1/', '')}`;
    expect(line).toMatch(
      /^- \[.+\]\(https:\/\/plat\.example\.org\/llms-full\.txt#\w+\): .+\. .*(token|free)/,
    );
    expect(line).toContain(`[${call}]`);
  }
  expect(lines.join('\n').length).toBeLessThan(20_000);
});

test('/llms-full.txt has every call with its parameters and the fields of its body', async () => {
  const text = await read('/llms-full.txt');
  expect(text).toContain(readFileSync(join(rootDir, 'docs', 'recipes.md'), 'utf8'));
  for (const { operationId, method, path, query, body } of endpoints) {
    const [, section = ''] = text.split(`## ${operationId}\n`);
    const own = section.split('\n## ')[0]!;
    expect(own).toContain(`\`${method.toUpperCase()} ${path}\``);
    for (const name of [...fieldsOf(query), ...fieldsOf(body)]) expect(own).toContain(`- \`${name}\` (`);
  }
});

const fieldsOf = (schema: unknown): string[] =>
  Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
