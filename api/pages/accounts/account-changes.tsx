import { type Change, listChanges } from '../../../shared/accounts/contracts.ts';
import { moment } from '../../../shared/model/figures.ts';
import { Grid, Panel } from '../frame/layout.tsx';
import type { Visit } from '../frame/visit.ts';

const MAX_CHANGES = 100;

export async function changesSection({ deps }: Visit, accountId: string) {
  const changes = await listChanges(deps.db, accountId);
  const names = new Map<string, unknown>();
  for (const change of changes) {
    const name = nameOf(change);
    if (name !== undefined) names.set(change.entity_id, name);
  }
  const newest = changes.slice(-MAX_CHANGES).reverse();
  return (
    <Panel id="activity" title="Activity">
      <details>
        <summary>
          {changes.length > MAX_CHANGES ? `Last ${MAX_CHANGES} of ` : ''}
          {changes.length} changes, newest first
        </summary>
        <Grid
          name="Changes"
          cards
          heads={['Time', 'Who', 'Item', 'Change']}
          rows={newest.map(change => [
            moment(change.at),
            change.actor,
            `${NOUNS[change.entity] ?? change.entity} ${nameOf(change) ?? names.get(change.entity_id) ?? ''}`,
            describe(change),
          ])}
        />
      </details>
    </Panel>
  );
}

const nameOf = ({ before, after }: Change) => before?.email ?? after?.email ?? after?.name ?? after?.url;

const NOUNS: Record<string, string> = {
  api_keys: 'key',
  accounts: 'account',
  users: 'user',
  webhooks: 'webhook',
  invitations: 'invitation',
};

/** Event labels, for changes that don't list fields. */
const EVENTS: Record<string, string> = {
  insert: 'created',
  delete: 'removed',
  password: 'password set',
  rotate_secret: 'new secret created',
  let_assistant_in: 'assistant connected',
  end_assistant: 'assistant disconnected',
  save_brand: 'brand saved',
  end_session: 'session signed out',
  end_sessions: 'signed out everywhere',
};

const INVITATION_EVENTS: Record<string, string> = { insert: 'sent', delete: 'canceled' };

function describe({ action, entity, before, after }: Change): string {
  if (entity === 'invitations') return INVITATION_EVENTS[action] ?? action;
  if (action !== 'update') return EVENTS[action] ?? action;
  return Object.entries(after ?? {})
    .map(([field, value]) => `${field.replaceAll('_', ' ')}: ${shown(before?.[field])} → ${shown(value)}`)
    .join('; ');
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
