import type { ComponentChildren, VNode } from 'preact';
import type { Session } from '../../../shared/accounts/account-statements.ts';
import type { Assets } from './assets.ts';
import { Icon, type IconName } from './icons.tsx';
import { LinkButton, Submit } from './layout.tsx';
import { SearchBox } from './search-box.tsx';
import type { Theme } from './theme.ts';

type Frame = {
  title: string;
  body: ComponentChildren;
  session: Session | undefined;
  /** The current URL, for the navigation's current item and the search box's text. */
  url: URL;
  assets: Assets;
  /** Undefined means the system's theme. */
  theme: Theme | undefined;
  /**
   * Tokens left in the current period. Undefined if there is no limit or the page didn't read the account.
   */
  tokensLeft?: number | undefined;
  /** The number of saved searches that have changes. */
  news?: number;
  /** Whether the page fills the window, for maps. */
  wide?: boolean;
  /** The page's style sheets and client modules. */
  assetNames?: readonly string[];
  head?: VNode;
};

type Place = readonly [path: string, name: string, icon: IconName];

const PLACES: readonly Place[] = [
  ['/data', 'Map', 'map'],
  ['/markets', 'Markets', 'chart-no-axes-column'],
  ['/lists', 'Lists', 'list-checks'],
  ['/comping', 'Comps', 'scale'],
  ['/deals', 'Deals', 'handshake'],
];

const isAt = (path: string, to: string) =>
  path === to || path.startsWith(`${to}/`) ? ('page' as const) : undefined;

export function Document(frame: Frame) {
  const { title, body, session, url, assets, theme, wide, assetNames = [], head } = frame;
  return (
    <html lang="en" data-theme={theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={theme ?? 'light dark'} />
        <title>{`${title} · Plat`}</title>
        <link rel="icon" type="image/svg+xml" href={assets.path('icon.svg')} />
        <link
          rel="preload"
          as="font"
          type="font/woff2"
          href={assets.path('inter.woff2')}
          crossorigin="anonymous"
        />
        {['tokens.css', 'style.css', ...(session ? ['frame.mjs'] : []), ...assetNames].map(name =>
          name.endsWith('.css') ? (
            <link rel="stylesheet" href={assets.path(name)} />
          ) : (
            <script type="module" src={assets.path(name)} />
          ),
        )}
        {head}
      </head>
      <body class={wide ? 'wide' : undefined}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <TopBar {...frame} />
        <main id="main">{body}</main>
        {session && <TabBar path={url.pathname} />}
      </body>
    </html>
  );
}

function TopBar({ session, url, tokensLeft, news = 0 }: Frame) {
  const path = url.pathname;
  const places = session?.user.operator ? [...PLACES, ['/admin', 'Admin'] as const] : PLACES;
  return (
    <header class="bar">
      <a class="brand" href="/" aria-label="Plat">
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <rect width="24" height="24" rx="6" />
          <path d="M5.5 7.2 18.5 5v14l-13-1.2zM5.7 12.4l12.8-.9M12.6 6v5.8M10.2 12.2l-.6 6" />
        </svg>
        <span>Plat</span>
      </a>
      {session && (
        <>
          <nav aria-label="Main">
            {places.map(([to, name]) => (
              <a href={to} aria-current={isAt(path, to)}>
                {name}
              </a>
            ))}
          </nav>
          <SearchBox url={url} />
        </>
      )}
      <span class="grow" />
      {news > 0 && (
        <a class="badge good" href="/searches" title="Saved searches with changes">
          <Icon name="bookmark" />
          {news} new
        </a>
      )}
      {tokensLeft !== undefined && (
        <a class="tokens" href="/account#usage" title="Tokens left in this period">
          <Icon name="coins" />
          {tokensLeft.toLocaleString('en-US')} tokens
        </a>
      )}
      {session === undefined && <LinkButton to="/docs/" words="API docs" kind="quiet wide-only" />}
      <ThemeButtons />
      {session ? (
        <AccountMenu session={session} />
      ) : (
        path !== '/sign-in' && <LinkButton to="/sign-in" words="Sign in" kind="second" />
      )}
    </header>
  );
}

const THEMES = [
  ['dark', 'Dark theme', 'moon'],
  ['light', 'Light theme', 'sun'],
] as const;

/** The style sheet shows only the button for the other theme. */
const ThemeButtons = () => (
  <form method="post" action="/theme" class="themes">
    {THEMES.map(([theme, words, icon]) => (
      <button type="submit" name="theme" value={theme} class="quiet only" aria-label={words} title={words}>
        <Icon name={icon} />
      </button>
    ))}
  </form>
);

/** The initials of the user's name, or the first letters of their email address. */
function initialsOf({ name, email }: Session['user']): string {
  const words = name.split(/\s+/).filter(Boolean);
  const letters = words.length > 1 ? words[0]![0]! + words.at(-1)![0]! : (words[0] ?? email).slice(0, 2);
  return letters.toUpperCase();
}

function AccountMenu({ session: { user } }: { session: Session }) {
  const initials = initialsOf(user);
  return (
    <>
      <button type="button" class="quiet only" popovertarget="menu" aria-label={`${initials}: account menu`}>
        <span class="avatar">{initials}</span>
      </button>
      <div id="menu" class="menu" popover>
        <p class="who">
          {user.name && <b>{user.name}</b>}
          <small>{user.email}</small>
        </p>
        {/* Listed here because it doesn't fit in the tab bar on phones. */}
        {user.operator && <a href="/admin">Admin</a>}
        <a href="/searches">Saved searches</a>
        <a href="/exports">Exports</a>
        <a href="/account">Account</a>
        <a href="/coverage">Coverage</a>
        <a href="/docs/">API docs</a>
        <form method="post" action="/theme">
          <button type="submit" name="theme" value="system" class="quiet">
            Use system theme
          </button>
        </form>
        <form method="post" action="/sign-out">
          <Submit label="Sign out" kind="quiet" />
        </form>
      </div>
    </>
  );
}

/** Replaces the top navigation on phones. */
const TabBar = ({ path }: { path: string }) => (
  <nav class="tabbar" aria-label="Tabs">
    {PLACES.map(([to, name, icon]) => (
      <a href={to} aria-current={isAt(path, to)}>
        <Icon name={icon} large />
        {name}
      </a>
    ))}
    <button type="button" popovertarget="menu">
      <Icon name="ellipsis" large />
      More
    </button>
  </nav>
);
