export type Welcome = { url: string; key: string; keyFile: string; admin: string; logs: string };

/** Three calls that a newcomer can paste. */
function calls(): { path: string; what: string }[] {
  return [
    {
      path: '/api/public/v1/markets-stats/33019/stats/',
      what: 'market statistics of Sullivan County, New Hampshire',
    },
    {
      path: '/api/public/v1/markets-stats/zip/03280/stats/',
      what: 'the same for ZIP 03280 (Washington, New Hampshire)',
    },
    {
      path: '/api/public/v1/markets-stats/99999/stats/',
      what: 'a county that does not exist: 404, 0 tokens',
    },
  ];
}

/** What a newcomer needs, with what the calls answer at this moment. */
export async function welcome({ url, key, keyFile, admin, logs }: Welcome): Promise<string> {
  const lines = [
    '',
    `Plat is ready at ${url}`,
    '',
    `  demo key         ${key}   (also in ${keyFile})`,
    `  documentation    ${url}/docs`,
    `  operator's page  ${url}/admin/queues   user admin, password ${admin}`,
    `  logs             ${logs}`,
    '',
    'Calls to paste, and what they answer now:',
  ];
  for (const { path, what } of calls()) {
    lines.push(
      '',
      `  # ${what}`,
      `  curl -H "Authorization: Bearer $(cat ${quoted(keyFile)})" ${url}${path}`,
      `  ${await answer(url + path, key)}`,
    );
  }
  lines.push(
    '',
    'In another terminal: npx plat status, npx plat runs, npx plat --help.  Ctrl-C stops everything.',
    '',
  );
  return lines.join('\n');
}

/** For a shell: the path of the checkout may hold spaces. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Status, tokens and the beginning of the body. */
async function answer(url: string, key: string): Promise<string> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  const body = await response.text();
  const shown = body.length > 150 ? `${body.slice(0, 150)}…` : body;
  return `-> ${response.status}, ${response.headers.get('x-tokens-used')} tokens: ${shown}`;
}
