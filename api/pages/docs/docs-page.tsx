import type { Session } from '../../../shared/accounts/account-statements.ts';
import { createKey } from '../../../shared/accounts/accounts.ts';
import { Submit } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { json, ownAccount } from '../frame/visit.ts';

/** Long enough to try out calls, but short enough that a leaked key soon expires. */
const KEY_MS = 3_600_000;

/** The API reference: Swagger UI, from node_modules, showing `/openapi.json`. */
const docsPage: Page = {
  path: '/docs',
  access: 'public',
  get({ session }) {
    const body = (
      <div class="docs">
        <TryWithKey session={session} />
        <noscript>
          <p class="notice">
            This reference needs JavaScript. <a href="/openapi.json">/openapi.json</a> has the same content.
          </p>
        </noscript>
        <div id="docs" />
      </div>
    );
    const head = (
      <>
        <link rel="stylesheet" href="/docs/swagger-ui.css" />
        <script src="/docs/swagger-ui-bundle.js" defer />
      </>
    );
    return { title: 'API', body, head, assetNames: ['docs.css', 'docs.mjs'] };
  },
};

/** Keys are stored as hashes, so trying out calls requires a new key. */
function TryWithKey({ session }: { session: Session | undefined }) {
  if (session === undefined)
    return (
      <p class="notice">
        <a href="/sign-in?next=/docs">Sign in</a> to try calls with your own key.
      </p>
    );
  if (!session.account?.own) return null;
  return (
    <form method="post" action="/docs/key" id="try" class="notice buttons" hidden>
      <Submit label="Try with my key" kind="second" />
      <output id="tried">
        Creates a key named “docs” that expires in an hour, and authorizes this page with it. Calls that you
        try cost tokens as usual.
      </output>
    </form>
  );
}

const keyPage: Page = {
  path: '/docs/key',
  access: 'session',
  actions: {
    async default({ session, deps }) {
      const account = ownAccount(session!);
      const expiresAt = new Date(deps.now().getTime() + KEY_MS);
      const { key } = await createKey(deps.db, account.id, {
        name: 'docs',
        scopes: ['api:direct'],
        expiresAt,
        actor: session!.user.email,
      });
      return json({ key, expires_at: expiresAt });
    },
  },
};

export const docsPages = [docsPage, keyPage];
