import { endGrantsOfClient, isOwner, recordEvent } from '../../../shared/accounts/account-statements.ts';
import { READ_SCOPE } from '../../../shared/accounts/tiers.ts';
import { count, day } from '../../../shared/model/figures.ts';
import { priceText } from '../../../shared/model/prices.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { readAccount } from '../../http/callers.ts';
import { notFound } from '../../http/error-responses.ts';
import type { Tool } from '../../mcp/tools.ts';
import { grantedScope, SCOPE } from '../../oauth/oauth-paths.ts';
import { Act, Notice, narrowPage } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import type { Reply, Visit } from '../frame/visit.ts';

/** Asks the user whether an assistant may use their account, and shows what it can do and what that costs. */
export const consentPage: Page = {
  path: '/oauth/consent/:uid',
  access: 'session',
  async get(visit) {
    const { params, client } = await readRequest(visit);
    const name = client.clientName ?? 'An assistant';
    const back = new URL(String(params.redirect_uri));
    const content = (
      <>
        {visit.session!.account?.own ? (
          await question(visit, name, scopeOf(params))
        ) : (
          <Notice>Only the account's owner can connect assistants.</Notice>
        )}
        <p>
          <small>
            The assistant chose the name “{name}” itself
            {URL.canParse(client.clientId) && (
              <>
                {' '}
                (from <b>{new URL(client.clientId).host}</b>)
              </>
            )}
            . Next, you'll go to <b>{back.host || back.protocol}</b>. If you didn't just connect it yourself,
            choose Cancel.
          </small>
        </p>
      </>
    );
    return narrowPage(`${name} wants to use Plat on your behalf`, content);
  },
  actions: { allow, default: refuse },
};

async function refuse(visit: Visit): Promise<Reply> {
  const error = { error: 'access_denied', error_description: 'The user denied access.' };
  return backToAssistant(visit, await readRequest(visit), error);
}

async function allow(visit: Visit): Promise<Reply> {
  const request = await readRequest(visit);
  const { provider, params, client } = request;
  const { account, user } = visit.session!;
  const { db } = visit.deps;
  if (!account?.own) throw notOwner();
  await endGrantsOfClient(db, account.id, client.clientId);
  const grant = new provider.Grant({ accountId: account.id, clientId: client.clientId });
  grant.addOIDCScope(String(params.scope ?? SCOPE));
  grant.addResourceScope(`${new URL(provider.issuer).origin}/mcp`, scopeOf(params));
  const grantId = await grant.save();
  // When an account's owner changes, all grants end. The owner may have changed just before this grant was
  // saved.
  if (!(await isOwner(db, account.id, user.id))) {
    await endGrantsOfClient(db, account.id, client.clientId);
    throw notOwner();
  }
  await recordEvent(db, user, 'let_assistant_in');
  const login = { accountId: account.id, remember: false };
  return backToAssistant(visit, request, { login, consent: { grantId } });
}

type Request = Awaited<ReturnType<typeof readRequest>>;

async function backToAssistant(
  { req, res }: Visit,
  { provider }: Request,
  result: Record<string, unknown>,
): Promise<Reply> {
  const options = { mergeWithLastSubmission: false };
  return redirectPage(await provider.interactionResult(req, res, result, options));
}

const notOwner = () => new PlatError('forbidden', "Only the account's owner can connect assistants.");

async function readRequest({ req, res, deps }: Visit) {
  const provider = await deps.oauth.providerFor(req);
  const details = await provider.interactionDetails(req, res).catch(cause => {
    throw new PlatError('not_found', 'This request has expired. Start again in the assistant.', {
      cause,
    });
  });
  const { params } = details;
  const client = await provider.Client.find(String(params.client_id));
  if (client === undefined)
    throw notFound('The assistant is no longer registered. Start again in the assistant.');
  return { provider, params, client };
}

/** The scope to grant for the requested scopes. */
const scopeOf = ({ scope }: Record<string, unknown>) => grantedScope(String(scope ?? SCOPE).split(' '));

/** Don't use a redirect, because our form-action policy blocks redirects to another site after a form. */
function redirectPage(address: string) {
  const content = (
    <p>
      If nothing happens, <a href={address}>continue to the assistant</a>.
    </p>
  );
  const head = <meta http-equiv="refresh" content={`0;url=${address}`} />;
  return { ...narrowPage('Back to the assistant', content), head };
}

/** What the assistant can do, whose tokens it uses, and the two buttons. */
async function question({ deps, session }: Visit, name: string, scope: string) {
  const { account: own, user } = session!;
  const account = await readAccount(deps.db, own!.id);
  return (
    <>
      <p>
        You are signed in as <b>{user.email}</b>, account <b>{own!.name}</b>.
        {scope === READ_SCOPE && ' The assistant requests read-only access.'} If you allow it, {name} can:
      </p>
      {abilitiesOf(deps.tools, scope).map(({ title, tools }) => (
        <section class="abilities">
          <h2>{title}</h2>
          <ul>
            {tools.map(({ definition, endpoints }) => (
              <li>
                {definition.title}
                <PriceOf endpoints={endpoints} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      <p>
        It can't change your account, team, API keys, webhooks, or deals. You can end its access at any time
        on your account page.
      </p>
      <p>
        Calls that cost tokens use your account
        {account?.tokensAllowed == null || account.periodEnd === null
          ? '.'
          : `, which has ${count(Math.max(0, account.tokensAllowed - account.tokensUsed))} tokens left until ${day(new Date(account.periodEnd))}.`}
      </p>
      <div class="buttons">
        <Act label="Allow" does="allow" id="yes" kind="" />
        <Act label="Cancel" does="deny" id="no" kind="second" />
      </div>
    </>
  );
}

function PriceOf({ endpoints }: Pick<Tool, 'endpoints'>) {
  const { metering } = endpoints.at(-1)!;
  return metering && <small> {priceText(metering.price)}</small>;
}

const GROUPS: { title: string; has(hints: Tool['definition']['annotations']): boolean }[] = [
  { title: 'Look up phone numbers', has: ({ openWorldHint }) => openWorldHint },
  {
    title: "Create and change your company's data",
    has: ({ readOnlyHint, openWorldHint, destructiveHint }) =>
      !readOnlyHint && !openWorldHint && !destructiveHint,
  },
  { title: "Delete your company's data", has: ({ destructiveHint }) => destructiveHint === true },
  { title: 'Read data', has: ({ readOnlyHint }) => readOnlyHint },
];

/** All tools that a scope grants, grouped by what they do, with the most sensitive group first. */
export function abilitiesOf(
  tools: ReadonlyMap<string, Tool>,
  scope: string,
): { title: string; tools: Tool[] }[] {
  const granted = [...tools.values()].filter(
    ({ definition }) => scope !== READ_SCOPE || definition.annotations.readOnlyHint,
  );
  return GROUPS.map(({ title, has }) => ({
    title,
    tools: granted.filter(({ definition }) => has(definition.annotations)),
  })).filter(group => group.tools.length > 0);
}
