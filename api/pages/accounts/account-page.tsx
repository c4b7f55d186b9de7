import { listInvitations, listMembers, listSessions } from '../../../shared/accounts/account-statements.ts';
import { ogcEndpoints } from '../../ogc/ogc-endpoints.ts';
import { tileEndpoints } from '../../ogc/tile-endpoints.ts';
import { Result } from '../frame/form-result.tsx';
import { Notice } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import type { Visit } from '../frame/visit.ts';
import { mailProblem } from '../parts/mail-problem.ts';
import { accountActions } from './account-actions.ts';
import { assistantsSection } from './account-assistants.tsx';
import { changesSection } from './account-changes.tsx';
import { keysSection } from './account-keys.tsx';
import { Password, Sessions, Team } from './account-people.tsx';
import { Costs, Plan } from './account-plan.tsx';
import { KeyUsage, readAccountUsage, UsageByDay } from './account-usage.tsx';
import { type WebhookResult, webhookResult, webhooksSection } from './account-webhooks.tsx';

export const accountPage: Page = {
  path: '/account',
  access: 'session',
  show: (visit, result) =>
    show(visit, visit.form.get('do') === 'add webhook' ? webhookResult(visit, result) : result),
  actions: accountActions,
};

async function show(visit: Visit, result: WebhookResult) {
  const session = visit.session!;
  const { db } = visit.deps;
  const [members, invitations, sessions] = await Promise.all([
    listMembers(db, session.company.id),
    listInvitations(db, session.company.id),
    listSessions(db, session.user.id),
  ]);
  const { account, user } = session;
  const usage = account && (await readAccountUsage(visit));
  const body = (
    <>
      <header class="pagehead">
        <div>
          <h1>Account</h1>
          <p>{[user.name, user.email, account?.name].filter(Boolean).join(' · ')}</p>
        </div>
      </header>
      <Result of={result} />
      {account === null && (
        <Notice>{session.company.name} has no account yet. Ask your operator to create one.</Notice>
      )}
      {account !== null && usage === undefined && (
        <Notice kind="bad">
          Your account has no active Pro subscription, so you can't use the app or the API. Ask your operator
          to activate it.
        </Notice>
      )}
      {usage && <KeyUsage usage={usage} />}
      <div class="two account">
        <div class="stack">
          {usage && <UsageByDay usage={usage} />}
          {usage && (
            <Costs usage={usage} endpoints={[...visit.deps.endpoints, ...ogcEndpoints, ...tileEndpoints]} />
          )}
          {account && (await keysSection(visit, account))}
          {account && (await assistantsSection(visit, account))}
          {account && (await webhooksSection(visit, account, result.sent))}
          {account?.own && (await changesSection(visit, account.id))}
        </div>
        <aside class="stack" aria-label="You and your company">
          {usage && <Plan usage={usage} />}
          <Team
            mail={mailProblem(visit)}
            canLink={visit.appUrl !== ''}
            members={members}
            invitations={invitations}
            session={session}
          />
          <Sessions sessions={sessions} own={session.id} />
          <Password session={session} />
        </aside>
      </div>
    </>
  );
  return { title: 'Account', body, assetNames: ['cards.css'] };
}
