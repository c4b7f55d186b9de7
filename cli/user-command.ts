import type { Command } from 'commander';
import { requireKnownOrNewName, requireName } from '../shared/accounts/account-names.ts';
import { operator } from '../shared/accounts/accounts.ts';
import { cancelInvitations, invite } from '../shared/accounts/invitations.ts';
import { sendMail } from '../shared/accounts/mail.ts';
import { removeUser } from '../shared/accounts/remove-user.ts';
import { createLink, linkLifetime } from '../shared/accounts/sign-in.ts';
import { createUser, findUser, joinCompany, listUsers, requireEmail } from '../shared/accounts/users.ts';
import { PlatError } from '../shared/platform/errors.ts';
import { appUrlOf, localUrl } from '../shared/platform/origin.ts';
import { print, table } from './common/cli-output.ts';
import { action, type Session, withSession } from './common/cli-session.ts';
import { readState } from './common/cli-state.ts';

type NewUserFlags = { company: string; name?: string; operator?: boolean };

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('manage people who sign in to the web app');
  addCreate(user);
  addInvite(user);
  addRemove(user);
  addLink(user);

  const list = user.command('list').description('list users with their company and account');
  action(list, async ({ db }) => {
    const users = await listUsers(db);
    return [users, table(users, 'email name company account operator has_password seen_at'.split(' '))];
  });
}

function addCreate(user: Command): void {
  const create = user
    .command('create')
    .description('create a user, with a link to sign in and set a password');
  action(withNewUser(create), async (session, email: string, flags: NewUserFlags) => {
    const created = await createUser(session.db, await newUserOf(session, email, flags));
    if (created === undefined) throw new PlatError('user_exists', `${email} is already a user.`);
    const link = appUrl(session) + (await createLink(session.db, created.id, 'invite'));
    const note = `Created user ${email}. ${oneTime(link)}`;
    return [{ id: created.id, email, company: flags.company, note }, note];
  });
}

function addInvite(user: Command): void {
  const invitation = user
    .command('invite')
    .description('email an invitation; the user exists once it is accepted');
  action(withNewUser(invitation), async (session, email: string, flags: NewUserFlags) => {
    const path = await invite(session.db, await newUserOf(session, email, flags));
    const note = await mailInvitation(session, email, appUrl(session) + path);
    return [{ email, company: flags.company, note }, note];
  });
}

function addRemove(user: Command): void {
  const remove = user
    .command('remove')
    .argument('<email>')
    .description('remove a person, or cancel the invitations sent to an address')
    .addHelpText(
      'after',
      '\nEnds their sessions, links, and emails at once. What they created stays with their company. The address can be invited again.' +
        "\nYou can't remove the owner of an account. Give the account another owner first." +
        '\n\nExample:\n  plat user remove bob@acme.example\n\nExit codes: 0 removed, 2 unknown address, or owner of an account.',
    );
  action(remove, async ({ db }, email: string) => {
    const removed = await removeUser(db, { email, actor: operator() }).catch(error => {
      if (error instanceof PlatError && error.code === 'user_unknown') return undefined;
      throw error;
    });
    const canceled = await cancelInvitations(db, { email }, operator());
    if (removed === undefined && canceled.length === 0)
      throw new PlatError('user_unknown', `There is no user ${email}. \`plat user list\` lists all users.`);
    const notes = [
      removed && `Removed ${removed.email} from ${removed.company}.`,
      canceled.length > 0 && `Invitations canceled: ${canceled.length}.`,
    ];
    const document = { email, company: removed?.company ?? null, invitations_canceled: canceled.length };
    return [document, notes.filter(Boolean).join(' ')];
  });
}

function addLink(user: Command): void {
  user
    .command('link')
    .argument('<email>')
    .description('create a one-time link that signs the user in without a password')
    .action((email: string) =>
      withSession(async session => {
        const { id } = await findUser(session.db, email);
        print(`${appUrl(session)}${await createLink(session.db, id, 'sign_in')}`);
      }),
    );
}

const withNewUser = (command: Command): Command =>
  command
    .argument('<email>')
    .requiredOption('--company <company>', 'their company, existing or new')
    .option('--name <name>', 'their name')
    .option('--operator', 'can see and manage the whole installation');

async function newUserOf(
  { db }: Session,
  email: string,
  { company, name, operator: isOperator }: NewUserFlags,
) {
  requireEmail(email);
  return {
    companyId: await joinCompany(db, await requireKnownOrNewName(db, 'company', company)),
    email,
    ...(name && { name: requireName('user', name) }),
    operator: isOperator === true,
    actor: operator(),
  };
}

/** @returns a note that says whether the email was sent */
async function mailInvitation({ config, log }: Session, email: string, url: string): Promise<string> {
  if (appUrlOf(config, config.PORT) === '')
    return `Invited ${email}. Plat sent no email, because BASE_URL is not set. ${oneTime(url)}`;
  await sendMail(config, log, {
    to: email,
    subject: "You're invited to Plat",
    text: `You're invited to Plat. Set your password here:\n\n${url}\n\nThe link works once and expires in ${linkLifetime('invite')}. If you didn't expect this email, ignore it.\n`,
  });
  return config.SMTP_URL === undefined
    ? `Invited ${email}. SMTP_URL is not set, so the email is a file in ${config.PLAT_DIR}/outbox.`
    : `Sent an invitation to ${email}.`;
}

const oneTime = (url: string): string =>
  `Their link works once and expires in ${linkLifetime('invite')}:\n${url}`;

/**
 * The web app's URL on this machine: the configured one, the one from the running `plat up`, or the default.
 */
function appUrl({ config }: Session): string {
  const configured = config.APP_URL ?? config.BASE_URL;
  return configured ?? readState(config)?.apiUrl ?? localUrl(config.HOST, config.PORT);
}
