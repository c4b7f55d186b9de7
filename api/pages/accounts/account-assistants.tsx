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
          heads={['Name', 'Leads to', 'Access', 'Allowed', 'Last token', '']}
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
        Assistants use the same data through MCP, at the same prices; the free tier includes it. Their address
        is
      </p>
      <pre tabindex={0}>{address}</pre>
      {appUrl === '' && (
        <Notice>
          This service has not been told its own address, so assistants get in with a key alone. Its operator
          has to set <code>BASE_URL</code>.
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
          In Claude: Settings, Connectors, Add custom connector. In ChatGPT: Settings, Connectors, Advanced,
          developer mode, Create. Give it the address; you will be asked here whether it may use your account.
          It has to reach the address from the internet.
        </p>
      </details>
      <details>
        <summary>Cursor</summary>
        <p>
          In <code>.cursor/mcp.json</code>, with a key that may be used for MCP:
        </p>
        <pre tabindex={0}>{JSON.stringify({ mcpServers: { plat: cursor } }, null, 2)}</pre>
      </details>
      <details>
        <summary>VS Code</summary>
        <p>
          In <code>.vscode/mcp.json</code>:
        </p>
        <pre tabindex={0}>
          {JSON.stringify({ servers: { plat: { type: 'http', url: address } } }, null, 2)}
        </pre>
      </details>
      <details>
        <summary>Claude Code, or an agent of your own</summary>
        <p>
          With a key that may be used for MCP, in the header <code>Authorization: Bearer plat_…</code>:
        </p>
        <pre
          tabindex={0}
        >{`claude mcp add --transport http plat ${address} --header "Authorization: Bearer plat_…"`}</pre>
      </details>
      <details>
        <summary>A client that starts programs on its own machine</summary>
        <p>In a checkout of Plat, with a key that may be used for MCP:</p>
        <pre tabindex={0}>{JSON.stringify(local, null, 2)}</pre>
      </details>
    </>
  );
}
