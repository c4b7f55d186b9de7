import { day, moment } from '../../../shared/domain/figures.ts';
import { Act, Field, Submit } from '../frame/layout.tsx';
import type { Session } from '../frame/visit.ts';

export type Member = { id: string; email: string; name: string; has_password: boolean; seen_at: Date | null };
export type OpenSession = { id: string; user_agent: string; created_at: Date; seen_at: Date };

export function Members({ members, company }: { members: Member[]; company: string }) {
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
        <Submit label="Invite" does="invite" kind="second" />
      </form>
    </section>
  );
}

export function Sessions({ sessions, own }: { sessions: OpenSession[]; own: string }) {
  return (
    <section>
      <h2>Active sessions</h2>
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
              <span class="badge good">This session</span>
            ) : (
              <Act label="Sign out" does="end session" id={session.id} kind="second" />
            )}
          </li>
        ))}
      </ul>
      <Act label="Sign out everywhere" does="end sessions" id="" kind="danger" />
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

export function NewPassword({ further = '', error }: { further?: string; error?: string | undefined }) {
  return (
    <Field
      label="New password"
      name="password"
      type="password"
      autocomplete="new-password"
      required
      hint={`At least 10 characters.${further}`}
      error={error}
    />
  );
}

export function Password({ session }: { session: Session }) {
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
          <NewPassword />
          <div class="buttons">
            <Submit label="Set password" does="password" />
          </div>
        </form>
      </details>
    </section>
  );
}
