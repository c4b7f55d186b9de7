import { MAP_SCOPE, type Scope } from '../../../shared/accounts/tiers.ts';
import { Icon } from '../frame/icons.tsx';

type Props = { secret: string; scopes: readonly Scope[]; origins: readonly string[]; apiUrl: string };

/** The addresses that a new key is for, and what to do with them. */
export function KeyAddresses({ secret, scopes, origins, apiUrl }: Props) {
  const server = apiUrl || 'https://…';
  if (scopes.includes(MAP_SCOPE))
    return <MapAddresses server={server} token={`?token=${secret}`} isDesktop={origins.length === 0} />;
  return scopes.includes('api:direct') ? <RestAddresses server={server} /> : null;
}

type MapProps = { server: string; token: string; isDesktop: boolean };

const MapAddresses = ({ server, token, isDesktop }: MapProps) => (
  <div class="stack">
    <Address
      label={isDesktop ? 'Style URL' : 'Style URL for MapLibre'}
      text={`${server}/ogc/style.json${token}`}
    />
    <Address label="TileJSON URL" text={`${server}/tiles.json${token}`} />
    {isDesktop && (
      <>
        <Address
          label="Tile URL"
          text={`${server}/ogc/collections/parcels/tiles/WebMercatorQuad/{z}/{y}/{x}${token}`}
        />
        <details>
          <summary>QGIS</summary>
          <p>
            Choose Layer &gt; Add Layer &gt; Add Vector Tile Layer, and create a New Generic Connection. Enter
            the style URL and the tile URL, and zoom levels 11 to 16.
          </p>
        </details>
      </>
    )}
    <Guide />
  </div>
);

const RestAddresses = ({ server }: { server: string }) => (
  <div class="stack">
    <Address label="URL for GIS programs (OGC API - Features)" text={`${server}/ogc/`} />
    <details>
      <summary>QGIS</summary>
      <p>
        Choose Layer &gt; Add Layer &gt; Add WFS / OGC API - Features Layer, and create a connection. Enter
        the URL, and choose OGC API - Features as the version. Under Authentication &gt; Basic, enter any user
        name, and the key as the password. Features cost tokens.
      </p>
    </details>
    <Guide />
  </div>
);

const Guide = () => (
  <p>
    <small>
      <code>docs/gis.md</code> has the steps for other programs. <a href="/docs">API docs</a> lists every
      call.
    </small>
  </p>
);

const Address = ({ label, text }: { label: string; text: string }) => (
  <div class="copyable">
    <p>{label}</p>
    <pre tabindex={0}>{text}</pre>
    <button type="button" class="second small" data-copy={text}>
      <Icon name="copy" /> Copy
    </button>
  </div>
);
