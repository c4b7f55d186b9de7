import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { soilAddress, soilAreas } from '../../../workers/setup/soil-areas.ts';
import { serve } from '../../support/http-server.ts';

/** Asks for the areas of a county. The server sends these answers, one per request. */
async function ask(fips: string, ...answers: [status: number, body: string][]) {
  const queries: string[] = [];
  const server = await serve(async (request, response, count) => {
    queries.push((JSON.parse(await text(request)) as { query: string }).query);
    const [status, body] = answers[count - 1] ?? answers.at(-1)!;
    response.writeHead(status).end(body);
  });
  onTestFinished(server.close);
  const context = {
    baseDir: '/',
    tmpDir: '/tmp',
    signal: new AbortController().signal,
    limits: { tries: 2, backoffMs: 1 },
  };
  const areas = await soilAreas(fips, `${server.origin}/post.rest`, context).catch(error => error);
  return { areas, queries };
}

test("a county's survey areas and the dates of their versions become addresses", async () => {
  const { areas, queries } = await ask('23019', [
    200,
    '{"Table":[["ME611","2025-09-04"],["ME613","2024-09-11"]]}',
  ]);
  expect(areas).toEqual([
    { area: 'ME611', date: '2025-09-04' },
    { area: 'ME613', date: '2024-09-11' },
  ]);
  expect(queries).toEqual([expect.stringContaining("'ME019'")]);
  expect(soilAddress('https://example.org/wss_SSA_{area}_[{date}].zip', areas[1])).toBe(
    'https://example.org/wss_SSA_ME613_[2024-09-11].zip',
  );
});

test("Connecticut's planning regions have the state's survey", async () => {
  const { queries } = await ask('09190', [200, '{"Table":[["CT600","2025-09-04"]]}']);
  expect(queries).toEqual([expect.stringMatching(/State or Territory.*'CT'/)]);
});

test('an answer without areas, and one that is no answer, are errors that say what to set', async () => {
  const injected = '{"Table":[["../x","2025-09-04"]]}';
  for (const body of ['{}', '{"Table":[]}', '<html>Maintenance</html>', '', injected]) {
    const { areas } = await ask('23019', [200, body]);
    expect(areas).toMatchObject({ code: 'feed_source', message: expect.stringMatching(/23019.*SOILS_URL/) });
  }
});

test('a server that is busy is tried again, and one that refuses is reported', async () => {
  const good: [number, string] = [200, '{"Table":[["ME611","2025-09-04"]]}'];
  expect((await ask('23019', [503, ''], good)).areas).toHaveLength(1);
  expect((await ask('23019', [400, '<error/>'])).areas).toMatchObject({ code: 'feed_source' });
});
