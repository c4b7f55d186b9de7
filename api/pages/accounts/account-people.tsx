import type {
  Member,
  OpenInvitation,
  OpenSession,
  Session,
} from '../../../shared/accounts/account-statements.ts';
import { day, moment } from '../../../shared/model/figures.ts';
import { Act, Field, Notice, Panel, Submit } from '../frame/layout.tsx';

/** Whether the user can invite and remove people, as the account's owner and operators can. */
export const managesTeam = ({ account, user }: Session): boolean => account?.own === true || user.operator;

const BrandLink = () => (
  <p class="more">
    <a href="/account/brand">Logo and address on comp reports</a>
  </p>
);

type TeamProps = {
  members: Member[];
  invitations: OpenInvitation[];
  session: Session;
  /** Why emails don't arrive. */
  mail: string | undefined;
  /** Whether Plat knows the address that its links start with. */
  canLink: boolean;
};

export function Team({ members, invitations, session, mail, canLink }: TeamProps) {
  const isManager = managesTeam(session);
  return (
    <Panel id="people" title={`Team at ${session.company.name}`}>
      <ul class="plain people">
        {members.map(member => (
          <li class="split person">
            <span>
              {member.name || member.email}
              <small>{factsOf(member)}</small>
            </span>
            {member.owner && <span class="badge">Owner</span>}
            {member.operator && <span class="badge">Operator</span>}
            {isManager && !(member.owner || member.operator || member.id === session.user.id) && (
              <RemovePerson person={member} company={session.company.name} />
            )}
          </li>
        ))}
      </ul>
      {invitations.length > 0 && (
        <>
          <h3>Open invitations</h3>
          <ul class="plain people">
            {invitations.map(({ id, email, expires_at }) => (
              <li class="split">
                <span>
                  {email}
                  <small>expires {day(expires_at)}</small>
                </span>
                {isManager && (
                  <Act label="Cancel invitation" does="cancel invitation" id={id} kind="second small" />
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      <BrandLink />
      {isManager && mail && (
        <Notice kind="warn">
          {mail} {canLink ? INVITED_BY_LINK : "You can't invite people before that is set."}
        </Notice>
      )}
      {isManager && canLink && (
        <form method="post" action="/account" class="field">
          <label for="invite">Invite a team member</label>
          <span class="split">
            <input id="invite" name="email" type="email" required placeholder="ana@acme.example" />
            <Submit label={mail ? 'Create invitation link' : 'Send invitation'} does="invite" kind="second" />
          </span>
        </form>
      )}
      {!isManager && (
        <p>
          <small>Only the account's owner can invite and remove people.</small>
        </p>
      )}
    </Panel>
  );
}

const INVITED_BY_LINK =
  'To invite someone, create a link and send it to them yourself. It works once, for 7 days.';

const RemovePerson = ({ person: { id, email }, company }: { person: Member; company: string }) => (
  <details>
    <summary class="button second small">
      Remove<span class="unseen"> {email}</span>
    </summary>
    <p>
      This signs {email} out everywhere and stops their emails. Their lists, searches, exports, reports, and
      deals stay with {company}.
    </p>
    <Act label="Remove person" does="remove person" id={id} kind="danger small" />
  </details>
);

const factsOf = ({ name, email, seen_at, has_password }: Member): string =>
  [name && email, seen_at ? `last seen ${day(seen_at)}` : has_password ? '' : "hasn't signed in yet"]
    .filter(Boolean)
    .join(' · ');

export function Sessions({ sessions, own }: { sessions: OpenSession[]; own: string }) {
  return (
    <Panel id="sessions" title="Active sessions">
      <ul class="plain people">
        {sessions.map(session => (
          <li class="split">
            <span>
              {browserOf(session.user_agent)}
              <small>
                signed in {day(session.created_at)}, last seen {moment(session.seen_at)}
              </small>
            </span>
            {session.id === own ? (
              <span class="badge good">This session</span>
            ) : (
              <Act label="Sign out" does="end session" id={session.id} kind="second small" />
            )}
          </li>
        ))}
      </ul>
      <Act label="Sign out everywhere" does="end sessions" id="" kind="danger small" />
    </Panel>
  );
}

/** A user agent's browser and operating system, by their common names. */
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
    <Panel id="password-panel" title="Password">
      <details>
        <summary class="button second small">
          {session.user.hasPassword ? 'Change password' : 'Set password'}
        </summary>
        <form method="post" action="/account" class="stack">
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
            <Submit label="Save password" does="password" />
          </div>
        </form>
      </details>
    </Panel>
  );
}
