import { createHash } from 'node:crypto';
import { endpoints } from '../../api/endpoints.ts';
import { isQuotable } from '../../api/http/quote.ts';
import { createKey } from '../../shared/accounts/accounts.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { prepareCounty } from '../../workers/comping/prepare-reports.ts';
import { followSearches, refreshSearches } from '../../workers/searches/follow-searches.ts';
import { posting, startTestApi } from '../support/api.ts';
import type { TestDatabase } from '../support/database.ts';
import { doDealJobs } from '../support/deals.ts';
import { type ExportJson, joinParts, makeExports } from '../support/exports.ts';
import { ingestRoll, lot } from '../support/ingest.ts';
import { newUser, visitor } from '../support/visitor.ts';
import type { Question } from './questions.ts';

export type Answer = { status: number; text: string; file?: string };

const operation = (name: string) => endpoints.find(one => one.operationId === name)!;

/** Each question that costs something is asked for its price first. */
export const withQuotes = (questions: readonly Question[]): Question[] =>
  questions.flatMap((question): Question[] => {
    const [name, query = '', body] = question;
    if (!isQuotable(operation(name))) return [question];
    const quote = `${query}${query.includes('?') ? '&' : '?'}quote=true`;
    return [body === undefined ? [name, quote] : [name, quote, body], question];
  });

/**
 * A user who calls the API with a key and opens pages, from an address that is in no answer. An export that
 * is read is made first, and its file belongs to the answer.
 */
export async function openCaller(db: TestDatabase) {
  const api = await startTestApi(db, {
    env: { CURSOR_SECRET: 'x'.repeat(40), APP_URL: 'https://app.example.org', PLAT_DIR: db.folder },
    pages: true,
  });
  const user = await newUser(db);
  await db.pool.query(
    'update accounts set rate_per_minute = 60000, rate_burst = 60000, skip_trace_per_minute = 6000 where id = $1',
    [user.accountId],
  );
  const { key } = await createKey(db.pool, user.accountId, { name: 'test' });
  const browser = visitor(api);
  await browser.signIn(user);
  const made: Record<string, string> = {};
  const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (all, name: string) => made[name] ?? all);

  async function call([name, query = '', body]: Question) {
    const { path: template, method } = operation(name);
    const [place, search] = fill(query).split('?');
    const path = `${template.replace(/\{\w+\}/, place!)}${search === undefined ? '' : `?${search}`}`;
    const sent = body === undefined ? { key } : posting(key, fill(JSON.stringify(body)));
    const reply = await api.call(path, { ...sent, method: method.toUpperCase() });
    const json = (reply.json ?? {}) as Record<string, string>;
    if ([201, 202].includes(reply.status)) {
      Object.assign(made, json);
      if (json.id !== undefined) made[name] = json.id;
    }
    if (name === 'list_changes') made.cursor ??= json.next_cursor!;
    return reply;
  }

  /** A page, or a request of a GIS program, which isn't in the API's description. */
  async function open(path: string) {
    if (!path.startsWith('/ogc/')) return browser.open(path);
    const response = await fetch(api.url + path, { headers: { Authorization: `Bearer ${key}` } });
    return { status: response.status, text: await response.text() };
  }

  async function fileOf(made: ExportJson): Promise<string> {
    const bytes = await joinParts(made);
    // A GeoPackage has the time when it was made.
    const text = bytes.toString('latin1').replaceAll(TIME, '');
    return bytes.includes(0) ? createHash('sha256').update(text).digest('hex') : bytes.toString();
  }

  return {
    async ask(asked: Question | string): Promise<Answer> {
      const readsExport = asked[0] === 'get_export';
      if (readsExport) await makeExports(db);
      const reply = await (typeof asked === 'string' ? open(fill(asked)) : call(asked));
      // A deal's chart has its points at their times.
      const page = typeof asked === 'string' && asked.startsWith('/deals/{') ? withoutCharts : asIs;
      return {
        status: reply.status,
        ...(readsExport && { file: await fileOf(JSON.parse(reply.text)) }),
        text: page(reply.text)
          .replaceAll(api.url, '')
          .replaceAll(user.email, '')
          .replaceAll(/cursor=[\w.-]+|"(?:url|expires_at|image_url|next_cursor|secret|sha256)":"[^"]*"/g, '')
          // New in each installation: random ids, keys, and the time.
          .replaceAll(/\/files\/[\w-]+|plat_\w{6}…|data-version="\w+"|\w{3} \d+, \d{4}, \d\d:\d\d UTC/g, '')
          .replaceAll(/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, '')
          .replaceAll(TIME, ''),
      };
    },
  };
}

const TIME = /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g;
const asIs = (text: string) => text;
const withoutCharts = (text: string) => text.replaceAll(/<svg.*?<\/svg>/gs, '');

/** What workers do after the questions, and a roll that adds, changes, and retires parcels. */
export async function doJobs(db: TestDatabase): Promise<void> {
  const { pool, folder, config } = db;
  const { signal } = new AbortController();
  await doDealJobs(pool);
  await prepareCounty(pool, 33_019, signal);
  for (const owners of [
    ['A', 'B', 'C'],
    ['A', 'B JR', undefined, 'D'],
  ]) {
    const features = owners.flatMap((owner, n) =>
      owner === undefined
        ? []
        : [{ properties: { PIN: `Q${n}`, OWNER: `OWNER ${owner}` }, geometry: lot(20 + n) }],
    );
    await ingestRoll(pool, folder, 'asked', features, {
      columns: { apn: 'PIN', owner_name: 'OWNER' },
      force: true,
    });
  }
  const log = createLogger(config, 'test');
  await followSearches({ db: pool, log, config, signal });
  await refreshSearches({ db: pool, log, signal });
}
