import { type RequestHandler, Router } from 'express';
import { renderToString } from 'preact-render-to-string';
import { PlatError } from '../../../shared/platform/errors.ts';
import { countNews } from '../../../shared/searches/search-statements.ts';
import type { Account } from '../../http/callers.ts';
import { compressed } from '../../http/compression.ts';
import { envelope, faultOf, JSON_TYPE, notFound } from '../../http/error-responses.ts';
import { exchangeOf, isFinished } from '../../http/exchange.ts';
import { type HeaderList, headersOf, setHeaders } from '../../http/headers.ts';
import { LARGE_REQUEST_BYTES, sizeOf } from '../../http/heavy-calls.ts';
import { requireText } from '../../http/text.ts';
import { pageHeaders } from './assets.ts';
import { Document } from './document.tsx';
import { answerForm, type Forms, receiveForm } from './forms.ts';
import { narrowPage } from './layout.tsx';
import { themeOf } from './theme.ts';
import {
  accountOf,
  countCall,
  nameRoute,
  type PageDeps,
  type Reply,
  sessionOf,
  type Visit,
} from './visit.ts';

/** Who can see a page: anyone, signed-in users, users with a Pro subscription, or operators. */
export type Access = 'public' | 'session' | 'app' | 'operator';

export type Page = Forms & {
  path: string;
  access: Access;
  /** Programs that don't accept HTML get the API's response for this path. */
  forBrowsers?: true;
  /** Default: `show` with no result. */
  get?(visit: Visit): Promise<Reply> | Reply;
};

export function pagesRouter(pages: readonly Page[], deps: PageDeps): Router {
  const router = Router({ caseSensitive: true });
  for (const page of pages) {
    const route = router.route(page.path);
    const { get, show, actions } = page;
    if (get ?? show) route.get(handler(page, get ?? (visit => show!(visit, {})), deps));
    if (actions) route.post(handler(page, visit => answerForm(page, visit), deps));
  }
  return router;
}

function handler(
  page: Page,
  answer: (visit: Visit) => Promise<Reply> | Reply,
  deps: PageDeps,
): RequestHandler {
  return async (req, res, next) => {
    if (page.forBrowsers && !/\btext\/html\b/.test(req.headers.accept ?? '')) return next();
    nameRoute(res, page.path);
    const visit: Visit = {
      req,
      res,
      deps,
      url: new URL(`http://localhost${req.originalUrl}`),
      apiUrl: deps.origins.apiUrl(req),
      appUrl: deps.origins.appUrl(),
      session: undefined,
      work: deps.heavyCalls.of('', { isFinished: () => isFinished(req, res) }),
      form: new URLSearchParams(),
    };
    try {
      const session = await sessionOf(req, deps);
      if (session !== undefined) {
        visit.session = session;
        visit.work = deps.heavyCalls.of(session.account?.id ?? session.id, {
          isFinished: () => isFinished(req, res),
        });
        if (sizeOf(req) > LARGE_REQUEST_BYTES) await visit.work.takeTurn();
      }
      if (req.method === 'POST') await receiveForm(page, visit);
      requireText(
        visit.url.searchParams,
        visit.form,
        Object.values(req.params).map(part => ['path', part]),
      );
      const away = await admit(page, visit);
      await send(visit, away ?? (await answer(visit)), deps);
    } catch (error) {
      await sendFault(visit, error, deps).catch(() => res.destroy());
    } finally {
      visit.work.end();
    }
  };
}

/** Proxies limit a header to 4 to 16 KB, and escaping makes this URL longer. */
const MAX_NEXT_LENGTH = 2_000;

async function admit(page: Page, visit: Visit): Promise<Reply | undefined> {
  const { session, req, deps } = visit;
  if (session !== undefined) await countCall(session, deps);
  if (page.access === 'public') return undefined;
  if (session === undefined) {
    if (req.headers['sec-fetch-dest'] === 'empty' || req.path.startsWith('/tiles/'))
      throw new PlatError('unauthorized', 'Sign in first.');
    const asked = [req.originalUrl, req.path].find(({ length }) => length <= MAX_NEXT_LENGTH);
    const next = (req.method === 'GET' && asked) || '/data';
    return { redirect: `/sign-in?next=${encodeURIComponent(next)}` };
  }
  if (page.access === 'operator' && !session.user.operator) throw notFound(MISTYPED);
  if (page.access === 'app') {
    // The app has nothing to show an operator without an account.
    if (session.account === null && session.user.operator) return { redirect: '/admin' };
    if (!(await accountOf(visit))?.pro)
      throw new PlatError(
        'subscription_required',
        'The app needs an active Pro subscription. Ask your operator to activate it.',
      );
  }
  return undefined;
}

async function write(
  visit: Visit,
  status: number,
  headers: HeaderList,
  body: Buffer | string,
): Promise<void> {
  const { res, req, deps } = visit;
  const { bytes, encoding } = await compressed(Buffer.from(body), req);
  const all = [...headersOf(exchangeOf(res), visit.tokensUsed), ...pageHeaders(deps.config), ...headers];
  setHeaders(res, all);
  if (encoding !== undefined) res.setHeader('Content-Encoding', encoding);
  res.setHeader('Vary', 'Accept-Encoding');
  res.setHeader('Content-Length', bytes.length);
  res.writeHead(status);
  res.end(req.method === 'HEAD' ? undefined : bytes);
}

/** Makes proxies forward events without buffering them. */
const EVENTS = ['Content-Type', 'text/event-stream', 'Cache-Control', 'no-store', 'X-Accel-Buffering', 'no'];

async function send(visit: Visit, reply: Reply, deps: PageDeps): Promise<void> {
  if ('redirect' in reply)
    return write(visit, 303, ['Location', reply.redirect, 'Cache-Control', 'no-store'], '');
  if ('stream' in reply) {
    const { res } = visit;
    setHeaders(res, [...headersOf(exchangeOf(res)), ...pageHeaders(deps.config), ...EVENTS]);
    res.writeHead(200);
    exchangeOf(res).detach();
    reply.stream(res);
    return;
  }
  if ('data' in reply) {
    const { data, type, status = 200, filename, etag, maxAge = 0 } = reply;
    const cache = [
      'Cache-Control',
      maxAge > 0 || etag !== undefined ? `private, max-age=${maxAge}` : 'no-store',
    ];
    const tag = etag === undefined ? [] : ['ETag', etag];
    if (etag !== undefined && visit.req.headers['if-none-match'] === etag)
      return write(visit, 304, [...cache, ...tag], '');
    const named = filename === undefined ? [] : ['Content-Disposition', `attachment; filename="${filename}"`];
    return write(visit, status, ['Content-Type', type, ...cache, ...tag, ...named], data);
  }
  const { session, url, req } = visit;
  const account = await visit.account;
  // Read last, because showing the page may have marked changes as seen.
  const news = session ? await countNews(deps.db, session.company.id, session.user.id).catch(() => 0) : 0;
  const html = renderToString(
    <Document
      {...reply}
      session={session}
      url={url}
      assets={deps.assets}
      theme={themeOf(req)}
      tokensLeft={account && tokensLeftOf(account)}
      news={news}
    />,
  );
  const headers = ['Content-Type', 'text/html; charset=utf-8', 'Cache-Control', 'no-store'];
  await write(visit, reply.status ?? 200, headers, `<!doctype html>${html}`);
}

const tokensLeftOf = ({ tokensAllowed, tokensUsed }: Account): number | undefined =>
  tokensAllowed === null ? undefined : Math.max(0, tokensAllowed - tokensUsed);

const MISTYPED = 'The address may be mistyped, or the page has moved.';

const FAULTS: Record<string, string> = {
  not_found: 'Page not found',
  forbidden: "You can't do this",
  subscription_required: 'Pro subscription required',
  rate_limited: 'Too many requests',
  internal_error: 'Something went wrong',
};

async function sendFault(visit: Visit, error: unknown, deps: PageDeps): Promise<void> {
  const { res, req } = visit;
  const safe = faultOf(res, error);
  if (safe === undefined) return;
  const { requestId } = exchangeOf(res);
  for (const [name, value] of Object.entries(safe.headers)) res.setHeader(name, value);
  if (req.headers['sec-fetch-dest'] === 'empty') {
    const headers = ['Content-Type', JSON_TYPE, 'Cache-Control', 'no-store'];
    return write(visit, safe.status, headers, envelope(safe, requestId));
  }
  const title = FAULTS[safe.code] ?? "That didn't work";
  const content = <Fault error={safe} requestId={requestId} signedIn={visit.session !== undefined} />;
  await send(visit, { ...narrowPage(title, content), status: safe.status }, deps);
}

function Fault({ error, requestId, signedIn }: { error: PlatError; requestId: string; signedIn: boolean }) {
  return (
    <>
      <p>{error.message}</p>
      {error.details && (
        <ul>
          {Object.entries(error.details).map(([field, messages]) => (
            <li>
              <b>{field}</b> {messages.join('; ')}
            </li>
          ))}
        </ul>
      )}
      <p>
        {error.code === 'subscription_required' ? <a href="/account">Go to your account</a> : null}{' '}
        {signedIn ? <a href="/data">Go to the map</a> : <a href="/sign-in">Sign in</a>}
      </p>
      <p>
        <small>Request ID: {requestId}</small>
      </p>
    </>
  );
}

export function unknownPage(deps: PageDeps): RequestHandler {
  const page: Page = { path: 'unknown', access: 'public' };
  const answer = handler(
    page,
    () => {
      throw notFound(MISTYPED);
    },
    deps,
  );
  return (req, res, next) => {
    const asksForPage =
      req.method === 'GET' && !req.path.startsWith('/api/') && /^text\/html\b/.test(req.headers.accept ?? '');
    return asksForPage ? answer(req, res, next) : next();
  };
}
