import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rootDir } from '../../../shared/platform/root.ts';
import { checkCircles } from '../../../tools/checks/circles.ts';
import { checkCompose } from '../../../tools/checks/compose.ts';
import { checkEnvExample } from '../../../tools/checks/env-example.ts';
import { checkFunctionLength } from '../../../tools/checks/function-length.ts';
import { checkGenerated } from '../../../tools/checks/generated-files.ts';
import { houseDrawing } from '../../../tools/checks/house-drawing.ts';
import {
  checkFileNames,
  checkFileSizes,
  checkMentions,
  checkPages,
  checkQueries,
} from '../../../tools/checks/house-rules.ts';
import { checkOpenApi } from '../../../tools/checks/lint-openapi.ts';
import { findPhrases } from '../../../tools/checks/phrases.ts';
import { checkCommentNames, checkCommentWidth, checkSpreads } from '../../../tools/checks/style.ts';
import { testFolder } from '../../support/folder.ts';

const folder = testFolder();

describe('generated files', () => {
  const generated = (text: string) => [{ path: 'made.txt', source: 'the source', produce: async () => text }];

  test('a missing, a stale, and a current file', async () => {
    expect(await checkGenerated(generated('one\ntwo\n'), false, folder)).toEqual([
      expect.stringMatching(/^made\.txt .*`npm run generate`/),
    ]);
    writeFileSync(join(folder, 'made.txt'), 'one\nthree\n');
    expect(await checkGenerated(generated('one\ntwo\n'), false, folder)).toEqual([
      expect.stringMatching(/^made\.txt .*\bline 2\b.*`npm run generate`/),
    ]);
    expect(await checkGenerated(generated('one\nthree\n'), false, folder)).toEqual([]);
  });

  test('writing updates a file', async () => {
    expect(await checkGenerated(generated('new\n'), true, folder)).toEqual([]);
    expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('new\n');
  });

  test('a source that fails is a problem, and the others are still checked', async () => {
    const broken = {
      path: 'x.json',
      source: 'x.ts',
      produce: () => Promise.reject(new Error('no such thing')),
    };
    const problems = await checkGenerated([broken, ...generated('other\n')], false, folder);
    expect(problems[0]).toMatch(/\bx\.json .*\bx\.ts: no such thing$/);
    expect(problems).toHaveLength(2);
  });
});

test('the findings of Spectral and Redocly in an OpenAPI document, with their location', async () => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Plat', version: '1.0.0', description: 'An API.' },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    tags: [{ name: 'A', description: 'A.' }],
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    paths: {
      '/a/': {
        get: {
          operationId: 'get_a',
          tags: ['A'],
          summary: 'Get it' as string | undefined,
          description: 'Gets it.',
          responses: { 204: { description: 'It is.' }, 404: { description: 'It is not.' } },
        },
      },
    },
  };
  expect(await checkOpenApi(document)).toEqual([]);
  document.paths['/a/'].get.tags = ['B'];
  document.paths['/a/'].get.summary = undefined;
  expect(await checkOpenApi(document)).toEqual([
    'openapi.json at paths//a//get/tags/0: Operation tags must be defined in global tags. (operation-tag-defined); fix api/openapi.ts or api/v1',
    expect.stringMatching(/~1a~1\/get\/summary: .* \(operation-summary\)/),
  ]);
});

describe('house rules', () => {
  const query = (text: string) => ({ path: 'sql/queries/area/file.sql', text: `-- name: get_it\n${text}` });
  const user = (path: string) => ({ path, text: "const text = sql('area/get_it');" });

  test('a query has a header comment and is used by the program', () => {
    expect(checkQueries([query('-- Gets it.\nselect 1'), user('api/a.ts')])).toEqual([]);
    expect(checkQueries([query('select 1'), user('api/a.ts')])).toEqual([
      expect.stringMatching(/area\/get_it .*comment/),
    ]);
    const unused = [expect.stringMatching(/area\/get_it .*delete/)];
    expect(checkQueries([query('-- Gets it.\nselect 1')])).toEqual(unused);
    expect(checkQueries([query('-- Gets it.\nselect 1'), user('test/db/a.test.ts')])).toEqual(unused);
  });

  test('a loaded query exists', () => {
    expect(checkQueries([user('workers/a.ts')])).toEqual([
      expect.stringMatching(/^workers\/a\.ts .*area\/get_it/),
    ]);
  });

  test('a function has at most 60 lines, except those with a stated reason', () => {
    const file = (text: string, path = 'api/a.ts') => [{ path, text }];
    const body = (lines: number) => `{\n${'  work();\n'.repeat(lines - 2)}}`;
    const check = (text: string, allowed: Record<string, string> = {}) =>
      checkFunctionLength(file(text), allowed);
    expect(check(`function go(): void ${body(60)}`)).toEqual([]);
    expect(check(`function go(): void ${body(61)}`)).toEqual([
      expect.stringContaining('api/a.ts:1 go has 61 lines'),
    ]);
    for (const text of [
      `export const go = async () => ${body(61)};`,
      `export const all = { go() ${body(61)} };`,
      `export class All { go() ${body(61)} }`,
      `export const all = { go: function () ${body(61)} };`,
    ])
      expect(check(text)[0], text).toContain('go has 61 lines');
    const page = `export const Page = () => (\n<p>\n${'a\n'.repeat(60)}</p>\n);`;
    expect(checkFunctionLength(file(page, 'api/a.tsx'), {})[0]).toContain('Page has');
    expect(check(`function go(): void ${body(61)}`, { 'api/a.ts go': 'a reason' })).toEqual([]);
    expect(check('', { 'api/a.ts go': 'a reason' })[0]).toContain('api/a.ts go');
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`api/a.ts go${n}`, 'a reason']));
    const functions = Object.keys(many).map(key => `function ${key.split(' ')[1]}(): void ${body(61)}`);
    expect(check(functions.join('\n'), many)).toEqual([expect.stringContaining('11')]);
    expect(checkFunctionLength(file(`function go(): void ${body(99)}`, 'test/a.ts'), {})).toEqual([]);
  });

  test('a file has at most 400 lines, except the two of the whole schema', () => {
    const lines = (count: number) => 'x\n'.repeat(count);
    expect(checkFileSizes([{ path: 'api/a.ts', text: lines(400) }])).toEqual([]);
    for (const path of ['sql/schema.sql', 'sql/migrations/0001_schema.sql'])
      expect(checkFileSizes([{ path, text: lines(900) }])).toEqual([]);
    expect(checkFileSizes([{ path: 'api/a.ts', text: lines(401) }])[0]).toContain('api/a.ts has 401 lines');
  });

  test('no two files of the program have the same name, except main and index', () => {
    const named = (...paths: string[]) => checkFileNames(paths.map(path => ({ path, text: '' })));
    expect(named('api/main.ts', 'workers/main.ts', 'api/pages/index.ts', 'shared/index.ts')).toEqual([]);
    expect(named('api/deals/advice.tsx', 'test/unit/advice.ts', 'api/v1/advice.json')).toEqual([]);
    expect(named('api/deals/advice.tsx', 'shared/deals.ts', 'workers/deals/advice.ts')).toEqual([
      expect.stringMatching(/^api\/deals\/advice\.tsx and workers\/deals\/advice\.ts /),
    ]);
  });

  test('pages contain no statement names', () => {
    const sql = {
      path: 'sql/queries/deals/deals.sql',
      text: '-- name: find_live\n-- Live ones.\nselect 1;\n',
    };
    const page = (text: string) => ({ path: 'api/pages/deals/deals-page.tsx', text });
    expect(checkPages([sql, page("redirect: 'deals/list'")])).toEqual([]);
    expect(checkPages([sql, page("db.run('deals/find_live')")])).toEqual([
      expect.stringContaining('deals/find_live'),
    ]);
  });

  test('files and folders have no circular imports, including types', () => {
    const file = (path: string, ...imports: string[]) => ({
      path,
      text: imports.map(each => `import type { A } from '${each}';\n`).join(''),
    });
    const tree = [
      file('shared/a.ts', './b.ts'),
      file('shared/b.ts', './model/c.ts'),
      file('shared/model/c.ts'),
    ];
    expect(checkCircles(tree)).toEqual([]);
    expect(checkCircles([...tree.slice(0, 2), file('shared/model/c.ts', '../a.ts')])).toEqual([
      expect.stringMatching(
        /^files .*: shared\/a\.ts > shared\/b\.ts > shared\/model\/c\.ts > shared\/a\.ts$/,
      ),
      expect.stringMatching(
        /^folders .*: shared > shared\/model > shared \(shared\/b\.ts .*shared\/model\/c\.ts/,
      ),
    ]);
    expect(checkCircles([...tree.slice(0, 2), file('shared/model/c.ts', '../d.ts')])).toHaveLength(1);
  });

  test('the architecture diagram: an arrow to what a room needs on the next floor; a circle is named', () => {
    const file = (path: string, ...imports: string[]) => ({
      path,
      text: imports.map(each => `import '${each}';\n`).join(''),
    });
    const house = [
      file('workers/market/a.ts', '../ingest/b.ts', '../feeds/deep/c.ts'),
      file('workers/ingest/b.ts', '../feeds/deep/c.ts'),
      file('workers/feeds/deep/c.ts'),
      file('workers/main.ts', './market/a.ts'),
      file('api/v1/d.ts'),
      file('shared/platform/e.ts'),
    ];
    const drawing = houseDrawing(house);
    expect([...drawing.matchAll(/middle">(\w+)</g)].map(match => match[1])).toEqual([
      'feeds',
      'ingest',
      'market',
      'v1',
      'platform',
    ]);
    expect(drawing.match(/stroke="#8b9790"/g)).toHaveLength(2);
    expect(() => houseDrawing([...house, file('workers/feeds/f.ts', '../market/a.ts')])).toThrow(
      /workers\/.*: feeds > market > ingest > feeds$/,
    );
  });

  test('nothing mentions paths outside the repository', () => {
    const away = ['work', 'shared', 'spec.md'];
    const files = [
      { path: 'a.md', text: `fine\nsee /${away.join('/')}` },
      { path: 'b.ts', text: `// ../${away.slice(1).join('/')}` },
      { path: 'c.ts', text: "import { sql } from '../shared/db.ts'; // homework/" },
    ];
    expect(checkMentions(files).map(problem => problem.split(' ')[0])).toEqual(['a.md:2', 'b.ts:1']);
  });
});

describe('.env.example', () => {
  const example = readFileSync(join(rootDir, '.env.example'), 'utf8');

  test('lists exactly the settings, with their defaults', () => expect(checkEnvExample(example)).toEqual([]));

  test.each([
    ['a setting that is missing', /^#LOG_LEVEL=.*\n/m, '', /\bLOG_LEVEL\b/],
    ['one that nothing reads', /^#PORT=/m, '#COLOUR=blue\n#PORT=', /\bCOLOUR\b/],
    ['a default that is not one', /^#PORT=3000/m, '#PORT=8080', /\bPORT=8080\b.*\b3000\b/],
    ['one listed twice', /^#PORT=3000/m, '#PORT=3000\n#PORT=3000', /\bPORT\b.*twice/],
  ])('finds %s', (_what, found, put, problem) => {
    expect(checkEnvExample(example.replace(found, put))).toEqual([expect.stringMatching(problem)]);
  });

  test('finds an example that the program would refuse', () => {
    const [problem] = checkEnvExample(example.replace(/^#REDIS_URL=.*/m, '#REDIS_URL=localhost'));
    expect(problem).toContain('REDIS_URL');
  });
});

describe('docker-compose.yml', () => {
  const compose = readFileSync(join(rootDir, 'docker-compose.yml'), 'utf8');

  test('passes on every setting', () => expect(checkCompose(compose)).toEqual([]));

  test.each([
    ['a setting that is missing', /^ *SMTP_URL: .*\n/m, '', `\${SMTP_URL:-}`],
    ['one with another value', `\${CORS_ORIGINS:-}`, "'*'", `\${CORS_ORIGINS:-}`],
    ['one that the image sets', /^( *)(BASE_URL: .*)/m, '$1HOST: localhost\n$1$2', 'HOST '],
    ['a folder that is lost with its container', /^.*- plat:.*\n/m, '', 'PLAT_DIR '],
  ])('finds %s', (_what, found, put, problem) => {
    const problems = checkCompose(compose.replace(found, put));
    expect(problems).toHaveLength(2);
    for (const [at, service] of ['api', 'worker'].entries()) {
      expect(problems[at]).toContain(`service ${service}: `);
      expect(problems[at]).toContain(problem);
    }
  });
});

test('docs/operating.md names only existing metrics', () => {
  const sources = ['shared/platform/declared-metrics.ts', 'workers/start-worker.ts'].map(path =>
    readFileSync(join(rootDir, path), 'utf8'),
  );
  const named = readFileSync(join(rootDir, 'docs/operating.md'), 'utf8').matchAll(/\bplat_[a-z_]+/g);
  const metrics = new Set([...named].map(([name]) => name.replace(/_(count|bucket)$/, '')));
  expect(metrics.size).toBeGreaterThan(5);
  // A key's prefix is none of them.
  metrics.delete('plat_');
  for (const metric of metrics) expect(sources.join(), metric).toContain(metric);
});

describe('style', () => {
  const file = (text: string) => [{ path: 'shared/some/thing.ts', text }];

  test('a comment is at most as wide as the code, unless it has a URL', () => {
    expect(checkCommentWidth(file(`// ${'word '.repeat(30)}`))).toEqual([
      expect.stringMatching(/^shared\/some\/thing\.ts:1 .*\b153 columns.*\b110\b/),
    ]);
    expect(checkCommentWidth(file(`// ${'word '.repeat(20)}\nconst a = 1;`))).toEqual([]);
    expect(checkCommentWidth(file(`// https://a.example/${'x'.repeat(120)}`))).toEqual([]);
  });

  test('a comment names only existing files and statements', () => {
    const query = { path: 'sql/queries/market/stats.sql', text: '-- name: read_stats\n-- Reads.\nselect 1' };
    expect(checkCommentNames([...file('// See thing.ts and market/read_stats.'), query])).toEqual([]);
    expect(checkCommentNames([...file('// See other.ts and market/read_all.'), query])).toEqual([
      expect.stringMatching(/^shared\/some\/thing\.ts:1 .*\bother\.ts\b/),
      expect.stringMatching(/^shared\/some\/thing\.ts:1 .*\bmarket\/read_all\b/),
    ]);
  });

  test('no literal is spread for its items', () => {
    const [dots, list] = ['...', '[1, 2]'];
    expect(checkSpreads(file(`const a = { b, ${dots}{ c, d: { e } } };`))).toEqual([
      expect.stringMatching(/^shared\/some\/thing\.ts:1 .*literal/),
    ]);
    expect(checkSpreads(file(`const a = [\n  ${dots}${list},\n];`))).toHaveLength(1);
    expect(checkSpreads(file(`const a = [${dots}${list}.map(String), ${dots}(b && { c })];`))).toEqual([]);
  });
});

test('foreign phrases are found in added lines that people read', () => {
  const diff = `diff --git a/docs/app.md b/docs/app.md
--- a/docs/app.md
+++ b/docs/app.md
@@ -3,0 +4,2 @@
+Plat emails you when a search finds something new.
+Somebody is told of it.
-Nobody was told.
--- a/test/words/cli.test.ts
+++ b/test/words/cli.test.ts
@@ -1,0 +2 @@
+meanwhile
`;
  expect(findPhrases(diff).map(problem => problem.split(' ')[0])).toEqual(['docs/app.md:5', 'docs/app.md:5']);
});
