import { listGrants } from '../../../shared/accounts/account-statements.ts';
import { moment } from '../../../shared/model/figures.ts';
import { Act, Grid, Notice, Panel } from '../frame/layout.tsx';
import type { Visit } from '../frame/visit.ts';

export async function assistantsSection(
  { deps, apiUrl, appUrl }: Visit,
  account: { id: string; own: boolean },
) {
  const grants = await listGrants(deps.db, account.id);
  const address = `${appUrl || 'https://…'}/mcp`;
  return (
    <Panel id="assistants" title="Assistants">
      {grants.length > 0 && (
        <Grid
          name="Assistants"
          cards
          heads={['Name', 'Redirects to', 'Access', 'Connected', 'Last used', '']}
          rows={grants.map(({ id, client_id, name, redirect_uri, read_only, created_at, used_at }) => [
            name ?? (URL.canParse(client_id) ? new URL(client_id).host : 'unnamed'),
            redirect_uri === null ? '' : new URL(redirect_uri).host || new URL(redirect_uri).protocol,
            read_only ? 'Read only' : 'Full',
            moment(created_at),
            used_at === null ? 'never' : moment(used_at),
            account.own ? <Act label="End access" does="end assistant" id={id} kind="danger small" /> : '',
          ])}
        />
      )}
      <p>
        Connect an AI assistant to use the same data at the same prices through MCP. Every tier includes it.
        The URL of the MCP server:
      </p>
      <pre tabindex={0}>{address}</pre>
      {appUrl === '' && (
        <Notice>
          Assistants can connect only with an API key until the operator of this server sets{' '}
          <code>BASE_URL</code>.
        </Notice>
      )}
      <Instructions address={address} apiUrl={apiUrl} />
    </Panel>
  );
}

function Instructions({ address, apiUrl }: { address: string; apiUrl: string }) {
  const local = {
    mcpServers: {
      plat: {
        command: 'npx',
        args: ['plat', 'mcp'],
        env: { PLAT_URL: apiUrl || 'https://…', PLAT_API_KEY: 'plat_…' },
      },
    },
  };
  const cursor = { url: address, headers: { Authorization: 'Bearer plat_…' } };
  return (
    <>
      <details>
        <summary>Claude, ChatGPT</summary>
        <p>
          In Claude, go to Settings &gt; Connectors &gt; Add custom connector. In ChatGPT, go to Settings &gt;
          Connectors &gt; Advanced, turn on developer mode, and choose Create. Enter the URL above. Plat then
          asks whether the assistant may use your account. The assistant must be able to reach the URL over
          the internet.
        </p>
      </details>
      <details>
        <summary>Cursor</summary>
        <p>
          Add this to <code>.cursor/mcp.json</code>, with an API key that has the MCP permission:
        </p>
        <pre tabindex={0}>{JSON.stringify({ mcpServers: { plat: cursor } }, null, 2)}</pre>
      </details>
      <details>
        <summary>VS Code</summary>
        <p>
          Add this to <code>.vscode/mcp.json</code>:
        </p>
        <pre tabindex={0}>
          {JSON.stringify({ servers: { plat: { type: 'http', url: address } } }, null, 2)}
        </pre>
      </details>
      <details>
        <summary>Claude Code or your own agent</summary>
        <p>
          Send an API key that has the MCP permission in the header <code>Authorization: Bearer plat_…</code>:
        </p>
        <pre
          tabindex={0}
        >{`claude mcp add --transport http plat ${address} --header "Authorization: Bearer plat_…"`}</pre>
      </details>
      <details>
        <summary>Clients that run local servers</summary>
        <p>
          Add this to the client's settings. It runs in a checkout of Plat, with an API key that has the MCP
          permission:
        </p>
        <pre tabindex={0}>{JSON.stringify(local, null, 2)}</pre>
      </details>
    </>
  );
}
