import type { Command } from 'commander';
import { requireKnownOrNewName, requireName } from '../../shared/accounts/account-names.ts';
import { operator } from '../../shared/accounts/accounts.ts';
import { sendMail } from '../../shared/accounts/mail.ts';
import { createLink, linkLifetime } from '../../shared/accounts/sign-in.ts';
import { findUser, inviteUser, joinCompany, listUsers } from '../../shared/accounts/users.ts';
import { PlatError } from '../../shared/base/errors.ts';
import { appUrlOf, localUrl } from '../../shared/base/origin.ts';
import { print, table } from './common/cli-output.ts';
import { action, type Session, withSession } from './common/cli-session.ts';
import { readState } from './common/cli-state.ts';

type CreateFlags = { company: string; name?: string; operator?: boolean };

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('people who sign in to the web app');

  const create = (
    name: string,
    description: string,
    finish: (session: Session, email: string, id: string) => Promise<string>,
  ) =>
    action(
      user
        .command(name)
        .argument('<email>')
        .requiredOption('--company <company>', 'theirs: one that is there, or a new one')
        .option('--name <name>', 'how they are called')
        .option('--operator', 'may see and steer the whole installation')
        .description(description),
      async (session, email: string, flags: CreateFlags) => {
        const { pool } = session;
        const company = await joinCompany(pool, await requireKnownOrNewName(pool, 'company', flags.company));
        const invited = await inviteUser(pool, {
          companyId: company,
          email,
          ...(flags.name && { name: requireName('user', flags.name) }),
          operator: flags.operator === true,
          actor: operator(),
        });
        if (invited === undefined) throw new PlatError('user_exists', `${email} is a user already.`);
        const note = await finish(session, email, invited.id);
        return [{ id: invited.id, email, company: flags.company, note }, note];
      },
    );

  create(
    'create',
    'a new user, and a link with which they sign in and set a password',
    async (session, email, id) => {
      return `User ${email} is made. ${await inviteLink(session, id)}`;
    },
  );

  create('invite', 'a new user, who is sent the link by mail', async (session, email, id) => {
    if (appUrlOf(session.config, session.config.PORT) === '')
      return `User ${email} is made. No mail is sent, as BASE_URL is not set. ${await inviteLink(session, id)}`;
    const url = appUrl(session) + (await createLink(session.pool, id, 'invite'));
    await sendMail(session.config, session.log, {
      to: email,
      subject: 'You are invited to Plat',
      text: `You are invited to Plat. Set your password here:\n\n${url}\n\nThe link works once, for ${linkLifetime('invite')}.\n`,
    });
    return session.config.SMTP_URL === undefined
      ? `SMTP_URL is not set: the mail is in ${session.config.PLAT_DIR}/outbox.`
      : `An invitation is on its way to ${email}.`;
  });

  user
    .command('link')
    .argument('<email>')
    .description('a link that signs the user in, once, without a password')
    .action((email: string) =>
      withSession(async session => {
        const { id } = await findUser(session.pool, email);
        print(`${appUrl(session)}${await createLink(session.pool, id, 'sign_in')}`);
      }),
    );

  const list = user.command('list').description('every user, their company and account');
  action(list, async ({ pool }) => {
    const users = await listUsers(pool);
    return [users, table(users, 'email name company account operator has_password seen_at'.split(' '))];
  });
}

async function inviteLink(session: Session, id: string): Promise<string> {
  const path = await createLink(session.pool, id, 'invite');
  return `Their link, once, for ${linkLifetime('invite')}:\n${appUrl(session)}${path}`;
}

/**
 * Where the web app is, for who works on this machine: as the settings say, the running `plat up`, else
 * where it would listen.
 */
function appUrl({ config }: Session): string {
  const given = config.APP_URL ?? config.BASE_URL;
  return given ?? readState(config)?.apiUrl ?? localUrl(config.HOST, config.PORT);
}
