import { createKey, listKeys, revokeKey } from '../../shared/accounts.ts';
import { SCOPES, type Scope } from '../../shared/domain/tiers.ts';
import { PlatError } from '../../shared/errors.ts';
import { isPassword, requirePassword } from '../../shared/sign-in.ts';
import { inviteUser, requireEmail } from '../../shared/users.ts';
import { day, moment } from './figures.ts';
import { Field, Notice } from './layout.tsx';
import type { Page } from './pages.tsx';
import { changePassword, mailLink } from './sign-in.tsx';
import { usageSection } from './usage.tsx';
import { countAttempt, forgetCookie, type Session, type Visit } from './visit.ts';

type Member = { id: string; email: string; name: string; has_password: boolean; seen_at: Date | null };
type OpenSession = { id: string; user_agent: string; created_at: Date; seen_at: Date };

/** What a form did: a message at the head of the page, and a new key, which is shown this once. */
type Done = { good?: string; bad?: string; key?: string };

export const accountPage: Page = {
  path: '/account',
  access: 'session',
  get: visit => show(visit, {}),
  async post(visit) {
    const action = ACTIONS[visit.form.get('do') ?? ''];
    if (action === undefined)
      throw new PlatError('validation_error', 'The form is not known.', { status: 400 });
    try {
      const done = await action(visit, visit.session!);
      return 'redirect' in done ? done : await show(visit, done);
    } catch (error) {
      // What was asked for cannot be done; a fault of ours is the error page's.
      if (error instanceof PlatError && error.code !== 'internal_error')
        return { ...(await show(visit, { bad: error.message })), status: 400 };
      throw error;
    }
  },
};

type Action = (visit: Visit, session: Session) => Promise<Done | { redirect: string }>;

const ACTIONS: Record<string, Action> = {
  async 'create key'(visit, session) {
    const account = accountOf(session);
    const scopes = SCOPES.filter(scope => visit.form.getAll('scope').includes(scope)) as Scope[];
    const expires = visit.form.get('expires');
    const expiresAt = expires ? new Date(`${expires}T23:59:59.999Z`) : undefined;
    if (expiresAt !== undefined && !(expiresAt.getTime() > Date.now()))
      throw new PlatError('key_expiry', 'The last day of the key must be ahead.');
    const { key } = await createKey(visit.deps.pool, account.id, {
      name: visit.form.get('name') ?? '',
      scopes,
      ...(expiresAt && { expiresAt }),
      actor: session.user.email,
    });
    return { good: 'The key is made. Copy it now: it is not shown again.', key };
  },
  async 'revoke key'(visit, session) {
    const account = accountOf(session);
    const id = visit.form.get('id') ?? '';
    const own = (await listKeys(visit.deps.pool, account.id)).some(key => key.id === id);
    if (!own) throw new PlatError('key_unknown', 'There is no such key.');
    const { name } = await revokeKey(visit.deps.pool, id, session.user.email);
    return { good: `Key ${name} is revoked.` };
  },
  async invite(visit, session) {
    const email = requireEmail((visit.form.get('email') ?? '').trim());
    await countAttempt(`invite:${session.user.id}`, visit.deps);
    const invited = await inviteUser(visit.deps.pool, {
      companyId: session.company.id,
      email,
      actor: session.user.email,
    });
    // The same words for a user of another company: who is a customer here is nobody's business.
    if (invited !== undefined)
      await mailLink(
        visit,
        invited,
        'invite',
        `${session.user.name || session.user.email} invites you to ${session.company.name} on Plat.`,
      );
    return { good: `An invitation is on its way to ${email}.` };
  },
  async password(visit, session) {
    const { user } = session;
    await countAttempt(`password:${user.id}`, visit.deps);
    const [known] = await visit.deps.resources.database.run<{ hash: string | null }>('users/find_by_email', [
      user.email,
    ]);
    if (user.hasPassword && !(await isPassword(known?.hash, visit.form.get('current') ?? '')))
      throw new PlatError('password', 'The current password is wrong.');
    const password = requirePassword(visit.form.get('password') ?? '', user.email);
    await changePassword(visit, user.id, user.email, password, session.id);
    return { good: 'The password is set. Your other sessions have been signed out.' };
  },
  async 'end session'(visit, session) {
    await visit.deps.resources.database.run('users/end_session', [visit.form.get('id'), session.user.id]);
    return { good: 'The session is signed out.' };
  },
  async 'end sessions'(visit, session) {
    await visit.deps.resources.database.run('users/end_sessions', [session.user.id, null]);
    forgetCookie(visit);
    return { redirect: '/sign-in' };
  },
};

function accountOf({ account }: Session): { id: string } {
  if (account?.own) return account;
  throw new PlatError('forbidden', 'Keys are for the person whose account it is.');
}

async function show(visit: Visit, done: Done) {
  const session = visit.session!;
  const { database } = visit.deps.resources;
  const [members, sessions] = await Promise.all([
    database.run<Member>('users/list_members', [session.company.id]),
    database.run<OpenSession>('users/list_sessions', [session.user.id]),
  ]);
  const body = (
    <>
      <h1>Account</h1>
      {done.bad && <Notice kind="bad">{done.bad}</Notice>}
      {done.good && <Notice kind="good">{done.good}</Notice>}
      {done.key && (
        <pre class="secret" tabindex={0}>
          {done.key}
        </pre>
      )}
      {session.account === undefined ? (
        <Notice>You are in {session.company.name}, which has no account.</Notice>
      ) : (
        <>
          {await usageSection(visit)}
          {await keysSection(visit, session.account)}
        </>
      )}
      <Members members={members} company={session.company.name} />
      <Sessions sessions={sessions} own={session.id} />
      <Password session={session} />
    </>
  );
  return { title: 'Account', body };
}

async function keysSection(visit: Visit, account: { id: string; own: boolean }) {
  const keys = await listKeys(visit.deps.pool, account.id);
  return (
    <section>
      <h2>API keys</h2>
      {keys.length > 0 && (
        <section class="scroll" tabindex={0} aria-label="Keys">
          <table>
            <thead>
              <tr>
                <th>Name</th>
                <th>Begins with</th>
                <th>For</th>
                <th>Last used</th>
                <th>Valid</th>
                <th>
                  <span class="unseen">Action</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {keys.map(key => (
                <tr>
                  <td>{key.name}</td>
                  <td>
                    <code>{key.prefix}…</code>
                  </td>
                  <td>{key.scopes.map(scope => (scope === 'api:mcp' ? 'MCP' : 'REST')).join(', ')}</td>
                  <td>{key.last_used_at ? moment(key.last_used_at) : 'never'}</td>
                  <td>
                    {key.revoked_at
                      ? `revoked ${day(key.revoked_at)}`
                      : key.expires_at
                        ? `to ${day(key.expires_at)}`
                        : 'yes'}
                  </td>
                  <td>
                    {!key.revoked_at && account.own && (
                      <Act name="revoke key" id={key.id} danger>
                        Revoke
                      </Act>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {account.own ? (
        <details>
          <summary>New key</summary>
          <form method="post" action="/account" class="stack narrow">
            <Field
              label="Name"
              name="name"
              required
              maxlength={100}
              hint="What it is for, such as website."
            />
            <fieldset>
              <legend>May be used for</legend>
              <label>
                <input type="checkbox" name="scope" value="api:direct" checked /> REST API
              </label>
              <label>
                <input type="checkbox" name="scope" value="api:mcp" /> MCP, for assistants
              </label>
            </fieldset>
            <Field label="Last day" name="expires" type="date" hint="Empty: it does not expire." />
            <div class="buttons">
              <button type="submit" name="do" value="create key">
                Make the key
              </button>
            </div>
          </form>
        </details>
      ) : (
        <p>
          <small>The person whose account it is makes keys.</small>
        </p>
      )}
    </section>
  );
}

/** A button that is a form of its own. */
export function Act({
  name,
  id,
  danger,
  children,
}: {
  name: string;
  id: string;
  danger?: boolean;
  children: string;
}) {
  return (
    <form method="post">
      <input type="hidden" name="id" value={id} />
      <button type="submit" name="do" value={name} class={danger ? 'danger' : 'second'}>
        {children}
      </button>
    </form>
  );
}

function Members({ members, company }: { members: Member[]; company: string }) {
  return (
    <section>
      <h2>People of {company}</h2>
      <ul>
        {members.map(({ email, name, has_password, seen_at }) => (
          <li>
            {name ? `${name}, ` : ''}
            {email}{' '}
            <small>
              {seen_at ? `last seen ${day(seen_at)}` : has_password ? '' : 'has not signed in yet'}
            </small>
          </li>
        ))}
      </ul>
      <form method="post" action="/account" class="buttons">
        <label for="invite">Invite a colleague</label>
        <input id="invite" name="email" type="email" required placeholder="ana@acme.example" class="short" />
        <button type="submit" name="do" value="invite" class="second">
          Invite
        </button>
      </form>
    </section>
  );
}

function Sessions({ sessions, own }: { sessions: OpenSession[]; own: string }) {
  return (
    <section>
      <h2>Where you are signed in</h2>
      <ul class="plain">
        {sessions.map(session => (
          <li class="buttons">
            <span>
              {browserOf(session.user_agent)}{' '}
              <small>
                since {day(session.created_at)}, last seen {moment(session.seen_at)}
              </small>
            </span>
            {session.id === own ? (
              <b>this one</b>
            ) : (
              <Act name="end session" id={session.id}>
                Sign out
              </Act>
            )}
          </li>
        ))}
      </ul>
      <Act name="end sessions" id="" danger>
        Sign out everywhere
      </Act>
    </section>
  );
}

/** A browser by its user agent, as far as people tell them apart. */
function browserOf(agent: string): string {
  const name = /(Edg|OPR|Firefox|Chrome|Safari)\b/.exec(agent)?.[1] ?? 'Unknown browser';
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(agent)?.[1];
  const words: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' };
  return [words[name] ?? name, system && `on ${words[system] ?? system}`].filter(Boolean).join(' ');
}

function Password({ session }: { session: Session }) {
  return (
    <section>
      <h2>Password</h2>
      <details>
        <summary>{session.user.hasPassword ? 'Change it' : 'Set one'}</summary>
        <form method="post" action="/account" class="stack narrow">
          <input type="hidden" name="username" autocomplete="username" value={session.user.email} />
          {session.user.hasPassword && (
            <Field
              label="Current password"
              name="current"
              type="password"
              autocomplete="current-password"
              required
            />
          )}
          <Field
            label="New password"
            name="password"
            type="password"
            autocomplete="new-password"
            required
            hint="At least 10 characters."
          />
          <div class="buttons">
            <button type="submit" name="do" value="password">
              Set password
            </button>
          </div>
        </form>
      </details>
    </section>
  );
}
