import { type KeySummary, listKeys } from '../../../shared/accounts/accounts.ts';
import { MAP_SCOPE, type Scope } from '../../../shared/accounts/tiers.ts';
import { day, moment } from '../../../shared/model/figures.ts';
import { Icon } from '../frame/icons.tsx';
import { Act, Field, Grid, Panel, Submit } from '../frame/layout.tsx';
import type { Visit } from '../frame/visit.ts';
import { ROTATION_HOURS } from './key-actions.ts';

const SCOPE_NAMES: Record<Scope, string> = { 'api:direct': 'REST', 'api:mcp': 'MCP', [MAP_SCOPE]: 'Map' };

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
            permissionsOf(key),
            key.last_used_at ? moment(key.last_used_at) : 'Never',
            validityOf(key),
            hasEnded(key) || !account.own ? '' : <Change of={key} />,
          ])}
        />
      )}
      {account.own ? (
        <>
          <NewKey />
          <NewMapKey />
        </>
      ) : (
        <p>
          <small>Only the account's owner can create keys.</small>
        </p>
      )}
    </Panel>
  );
}

const isMapKey = ({ scopes }: KeySummary): boolean => scopes.includes(MAP_SCOPE);

const hasEnded = ({ revoked_at, expires_at }: KeySummary): boolean =>
  revoked_at !== null || (expires_at !== null && expires_at.getTime() <= Date.now());

function permissionsOf(key: KeySummary) {
  const names = key.scopes.map(scope => SCOPE_NAMES[scope]).join(', ');
  if (!isMapKey(key)) return names;
  return (
    <div>
      {names}
      <br />
      <small>{key.origins.length === 0 ? 'Desktop programs only' : key.origins.join(', ')}</small>
    </div>
  );
}

function Change({ of: key }: { of: KeySummary }) {
  return (
    <div class="stack">
      {isMapKey(key) && (
        <details>
          <summary class="button second small">Websites</summary>
          <form method="post" action="/account" class="stack">
            <input type="hidden" name="id" value={key.id} />
            <Websites id={`origins-${key.id}`} origins={key.origins} />
            <Submit label="Save websites" does="save websites" kind="small" />
          </form>
        </details>
      )}
      <details>
        <summary class="button second small">Rotate</summary>
        <p>You get a new key. This one keeps working for {ROTATION_HOURS} hours.</p>
        <Act label="Rotate key" does="rotate key" id={key.id} kind="small" />
      </details>
      <details>
        <summary class="button second small">Revoke</summary>
        <p>Programs that use this key will stop working.</p>
        <Act label="Revoke key" does="revoke key" id={key.id} kind="danger small" />
      </details>
    </div>
  );
}

function Websites({ id, origins = [] }: { id: string; origins?: readonly string[] }) {
  return (
    <div class="field">
      <label for={id}>Websites</label>
      <textarea id={id} name="origins" rows={3} maxlength={5_000} aria-describedby={`${id}-told`}>
        {origins.join('\n')}
      </textarea>
      <small id={`${id}-told`}>
        One per line, such as https://maps.example.com. Leave empty for desktop programs such as QGIS.
      </small>
    </div>
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
        <Expires name="expires" />
        <div class="buttons">
          <Submit label="Create API key" does="create key" />
        </div>
      </form>
    </details>
  );
}

/** Its fields have names of their own, because the page also has the form of other keys. */
function NewMapKey() {
  return (
    <details>
      <summary class="button second">
        <Icon name="plus" />
        New map key
      </summary>
      <form method="post" action="/account" class="stack narrow-form">
        <p>
          A map key shows parcels on your own map. It works only for map tiles, so you can put it in a web
          page. Tiles cost tokens.
        </p>
        <Field
          label="Name"
          name="map_name"
          required
          maxlength={100}
          hint="What the key is for, such as “website map”."
        />
        <Websites id="origins" />
        <Expires name="map_expires" />
        <div class="buttons">
          <Submit label="Create map key" does="create map key" />
        </div>
      </form>
    </details>
  );
}

const Expires = ({ name }: { name: string }) => (
  <Field label="Expires" name={name} type="date" hint="Leave empty if the key should never expire." />
);

function validityOf({ revoked_at, expires_at }: KeySummary) {
  if (revoked_at) return <span class="badge">Revoked {day(revoked_at)}</span>;
  return expires_at ? day(expires_at) : 'Never';
}
