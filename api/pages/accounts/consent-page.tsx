import { PlatError } from '../../../shared/base/errors.ts';
import { count, day } from '../../../shared/domain/figures.ts';
import { readAccount } from '../../http/callers.ts';
import { notFound } from '../../http/error-responses.ts';
import { SCOPE } from '../../oauth/oauth-paths.ts';
import { Act, Notice, narrowPage } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import type { Session, Visit } from '../frame/visit.ts';

/** An assistant asks to use an account: what it will be able to do, what that costs, and yes or no. */
export const consentPage: Page = {
  path: '/oauth/consent/:uid',
  access: 'session',
  async get(visit) {
    const { params, client } = await readRequest(visit);
    const { session } = visit;
    const name = client.clientName ?? 'An assistant';
    const back = new URL(String(params.redirect_uri));
    const content = (
      <>
        {session!.account?.own ? (
          await question(visit, name, session!)
        ) : (
          <Notice>Only the person whose account it is can let assistants in.</Notice>
        )}
        <p>
          <small>
            The name is what the assistant calls itself
            {URL.canParse(client.clientId) && (
              <>
                {' '}
                at <b>{new URL(client.clientId).host}</b>
              </>
            )}
            . You will be sent to <b>{back.host || back.protocol}</b>. Do not go on if you have not just
            connected it yourself.
          </small>
        </p>
      </>
    );
    return narrowPage(`${name} wants to use Plat for you`, content);
  },
  async post(visit) {
    const { provider, params, client } = await readRequest(visit);
    const { req, res, deps, session, form } = visit;
    const { database } = deps.resources;
    if (form.get('do') !== 'allow') {
      const result = { error: 'access_denied', error_description: 'Access was refused.' };
      return redirectPage(
        await provider.interactionResult(req, res, result, { mergeWithLastSubmission: false }),
      );
    }
    const { account, user } = session!;
    if (!account?.own)
      throw new PlatError('forbidden', 'Only the person whose account it is can let assistants in.');
    await database.run('accounts/end_grants_of_client', {
      account_id: account.id,
      client_id: client.clientId,
    });
    const grant = new provider.Grant({ accountId: account.id, clientId: client.clientId });
    grant.addOIDCScope(String(params.scope ?? SCOPE));
    grant.addResourceScope(`${new URL(provider.issuer).origin}/mcp`, SCOPE);
    const grantId = await grant.save();
    await database.run('accounts/record_event', {
      by: user.email,
      what: 'let_assistant_in',
      user_id: user.id,
    });
    const result = { login: { accountId: account.id, remember: false }, consent: { grantId } };
    return redirectPage(
      await provider.interactionResult(req, res, result, { mergeWithLastSubmission: false }),
    );
  },
};

async function readRequest({ req, res, deps }: Visit) {
  const provider = await deps.oauth.providerFor(req);
  const details = await provider.interactionDetails(req, res).catch(cause => {
    throw new PlatError('not_found', 'This request is over. Begin again in the assistant.', {
      cause,
    });
  });
  const { params } = details;
  const client = await provider.Client.find(String(params.client_id));
  if (client === undefined) throw notFound('The assistant is not registered any more. Begin again there.');
  return { provider, params, client };
}

/**
 * Not a redirection: browsers hold the answer to a form to this site (form-action), and this leads on
 * to the assistant's.
 */
function redirectPage(address: string) {
  const content = (
    <p>
      <a href={address}>Continue</a> if nothing happens.
    </p>
  );
  const head = <meta http-equiv="refresh" content={`0;url=${address}`} />;
  return { ...narrowPage('Back to the assistant', content), head };
}

async function question({ deps }: Visit, name: string, { account: own, user }: Session) {
  const account = await readAccount(deps.resources.database, own!.id);
  const priced = deps.endpoints.filter(({ metering }) => metering !== null);
  return (
    <>
      <p>
        You are <b>{user.email}</b>, account <b>{own!.name}</b>. {name} will be able to
      </p>
      <ul>
        <li>look up parcels, owners and their telephone numbers, sales, market statistics and valuations;</li>
        <li>see and change your company's saved markets, and see your deals and usage;</li>
        <li>make comp reports.</li>
      </ul>
      <p>
        It cannot change your account, your keys or your deals. You can end its access on the account page.
      </p>
      <p>
        What it looks up is paid for with your tokens
        {account?.tokensAllowed == null || account.periodEnd === null
          ? '.'
          : `: ${count(Math.max(0, account.tokensAllowed - account.tokensUsed))} are left until ${day(new Date(account.periodEnd))}.`}
      </p>
      <details>
        <summary>Prices</summary>
        <ul>
          {priced.map(({ summary, metering }) => (
            <li>
              {summary}: {metering!.rule.split(/[;.,(]/)[0]!.trim()}
            </li>
          ))}
        </ul>
      </details>
      <div class="buttons">
        <Act label="Allow" does="allow" id="yes" kind="" />
        <Act label="Cancel" does="deny" id="no" kind="second" />
      </div>
    </>
  );
}
