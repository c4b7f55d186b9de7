import { type KeySummary, listKeys } from '../../../shared/accounts/accounts.ts';
import { day, moment } from '../../../shared/model/figures.ts';
import { Icon } from '../frame/icons.tsx';
import { Act, Field, Grid, Panel, Submit } from '../frame/layout.tsx';
import type { Visit } from '../frame/visit.ts';

export async function keysSection(visit: Visit, account: { id: string; own: boolean }) {
  const keys = await listKeys(visit.deps.db, account.id);
  return (
    <Panel id="keys" title="API keys" flush>
      {keys.length > 0 && (
        <Grid
          name="Keys"
          cards
          heads={['Name', 'Starts with', 'Permissions', 'Last used', 'Expires', '']}
          rows={keys.map(key => [
            key.name,
            <code>{key.prefix}…</code>,
            key.scopes.map(scope => (scope === 'api:mcp' ? 'MCP' : 'REST')).join(', '),
            key.last_used_at ? moment(key.last_used_at) : 'Never',
            validityOf(key),
            key.revoked_at || !account.own ? (
              ''
            ) : (
              <details>
                <summary class="button second small">Revoke</summary>
                <p>Programs that use this key will stop working.</p>
                <Act label="Revoke key" does="revoke key" id={key.id} kind="danger small" />
              </details>
            ),
          ])}
        />
      )}
      {account.own ? (
        <NewKey />
      ) : (
        <p>
          <small>Only the account's owner can create keys.</small>
        </p>
      )}
    </Panel>
  );
}

function NewKey() {
  return (
    <details>
      <summary class="button second">
        <Icon name="plus" />
        New API key
      </summary>
      <form method="post" action="/account" class="stack narrow-form">
        <Field
          label="Name"
          name="name"
          required
          maxlength={100}
          hint="What the key is for, such as “website”."
        />
        <fieldset>
          <legend>Permissions</legend>
          <label>
            <input type="checkbox" name="scope" value="api:direct" checked /> REST API
          </label>{' '}
          <label>
            <input type="checkbox" name="scope" value="api:mcp" /> MCP (assistants)
          </label>
        </fieldset>
        <Field
          label="Expires"
          name="expires"
          type="date"
          hint="Leave empty if the key should never expire."
        />
        <div class="buttons">
          <Submit label="Create API key" does="create key" />
        </div>
      </form>
    </details>
  );
}

function validityOf({ revoked_at, expires_at }: KeySummary) {
  if (revoked_at) return <span class="badge">Revoked {day(revoked_at)}</span>;
  return expires_at ? day(expires_at) : 'Never';
}
