import { type Command, Option } from 'commander';
import { operator } from '../shared/accounts/accounts.ts';
import { UUID } from '../shared/model/uuid.ts';
import type { Db } from '../shared/platform/db.ts';
import { PlatError } from '../shared/platform/errors.ts';
import { fiveDigits } from '../shared/regions/counties.ts';
import { WEBHOOKS_CHANNEL } from '../shared/webhooks/webhook-terms.ts';
import { moment, wholeNumber } from './common/cli-options.ts';
import { table } from './common/cli-output.ts';
import { action } from './common/cli-session.ts';

type Row = {
  id: string;
  account: string;
  url: string;
  types: string[];
  fips: number | null;
  enabled: boolean;
  disabled_because: string | null;
  failing_since: Date | null;
};

export function addWebhookCommands(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('manage webhooks, the URLs that Plat calls when data changes');
  addList(webhooks);
  addDeliveries(webhooks);
  addReplay(webhooks);
  addSwitches(webhooks);
}

function addList(webhooks: Command): void {
  const list = webhooks
    .command('list')
    .description('list the webhooks of all accounts, with pending and failed deliveries');
  action(list, async ({ db }) => {
    const rows = await db.run<Row>('webhooks/list_all_webhooks', { webhook_id: null });
    const lines = rows.map(({ url, fips, enabled, disabled_because: because, failing_since, ...row }) => ({
      ...row,
      // The path may contain a secret.
      host: new URL(url).host,
      county: fips === null ? 'all' : fiveDigits(fips),
      state: enabled ? (failing_since === null ? 'on' : 'failing') : `off${because ? ` (${because})` : ''}`,
    }));
    return [rows, table(lines, 'id account host county state pending failed delivered'.split(' '))];
  });
}

function addDeliveries(webhooks: Command): void {
  const deliveries = webhooks
    .command('deliveries')
    .argument('<id>', 'id of the webhook')
    .addOption(
      new Option('--state <state>', 'only deliveries in this state').choices([
        'pending',
        'delivered',
        'failed',
      ]),
    )
    .option('--limit <n>', 'number of deliveries', wholeNumber, 20)
    .description('list the deliveries of a webhook, newest first');
  action(deliveries, async ({ db }, id: string, flags: { state?: string; limit: number }) => {
    await requireWebhook(db, id);
    const rows = await db.run<Record<string, unknown>>('webhooks/list_deliveries', {
      webhook_id: id,
      state: flags.state ?? null,
      message_id: null,
      limit: flags.limit,
    });
    return [rows, table(rows, 'message_id type seq state attempts last_at next_at error'.split(' '))];
  });
}

function addReplay(webhooks: Command): void {
  const replay = webhooks
    .command('replay')
    .argument('<id>', 'id of the webhook')
    .requiredOption('--since <moment>', 'all messages since this time', moment)
    .description('send messages again, even if they were delivered')
    .addHelpText(
      'after',
      '\nExample:\n  plat webhooks replay 3c7d6f0e-7b1d-4e57-8a51-9d0c2f6b4e12 --since 2026-11-20',
    );
  action(replay, async ({ db }, id: string, { since }: { since: Date }) => {
    await requireWebhook(db, id);
    const rowCount = await db.rowCount('webhooks/replay_messages', {
      webhook_id: id,
      message_id: null,
      since,
    });
    await db.run('webhooks/notify_dispatchers', { channel: WEBHOOKS_CHANNEL });
    return [{ messages: rowCount }, `Sending ${rowCount} messages again.`];
  });
}

function addSwitches(webhooks: Command): void {
  for (const [name, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    const change = webhooks
      .command(name)
      .argument('<id>', 'id of the webhook')
      .description(enabled ? 'turn a webhook on' : 'turn a webhook off, so that Plat sends nothing to it');
    action(change, async ({ db }, id: string) => {
      await requireWebhook(db, id);
      await db.run('webhooks/switch_webhook', { webhook_id: id, enabled, by: operator() });
      return [{ id, enabled }, `Webhook turned ${enabled ? 'on' : 'off'}.`];
    });
  }
}

async function requireWebhook(db: Db, id: string): Promise<void> {
  const isThere = UUID.test(id) && (await db.rowCount('webhooks/list_all_webhooks', { webhook_id: id })) > 0;
  if (!isThere)
    throw new PlatError('not_found', `There is no webhook ${id}. \`plat webhooks list\` lists all webhooks.`);
}
