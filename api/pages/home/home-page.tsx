import { Icon, type IconName } from '../frame/icons.tsx';
import { LinkButton } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { themeOf } from '../frame/theme.ts';
import type { Visit } from '../frame/visit.ts';

type Feature = readonly [icon: IconName, title: string, words: string];

const FEATURES: readonly Feature[] = [
  [
    'map',
    'Map and filters',
    'Vacant land, road access, no wetlands, out-of-state owners. Eight quick filters, and every other field when you need it.',
  ],
  ['scale', 'Values with a range', 'An estimate from nearby sales with an 80% range. See every adjustment.'],
  [
    'chart-no-axes-column',
    'Markets',
    'Sell-through rate, days on market, and price per acre by county, ZIP code, and lot size.',
  ],
  [
    'mail',
    'Lists and deals',
    'One row per owner, each with an offer. Export to any mail house, then track your deals.',
  ],
];

/** A screenshot of the map in the page's theme. */
function Picture({ deps: { assets }, req }: Visit) {
  const theme = themeOf(req);
  const path = (name: 'light' | 'dark') => assets.path(`home-${name}.webp`);
  return (
    <picture class="shot">
      {theme === undefined && <source srcset={path('dark')} media="(prefers-color-scheme: dark)" />}
      <img
        src={path(theme ?? 'light')}
        width="1100"
        height="688"
        alt="Plat’s map of Washington, New Hampshire: vacant parcels of 5 to 20 acres, colored by value per acre, next to the list of results"
      />
    </picture>
  );
}

/** The home page for browsers. Clients that request JSON get links to the documentation (docs.ts). */
export const homePage: Page = {
  path: '/',
  access: 'public',
  forBrowsers: true,
  get: visit => ({
    title: 'Land, owners, and values',
    body: (
      <>
        <section class="hero">
          <div>
            <h1>Find the land. Know what it’s worth. Reach the owner.</h1>
            <p>
              Plat puts every parcel in your counties on one map, with owners, road access, wetlands, and an
              honest price range. Build mailing lists, make offers, and track your deals.
            </p>
            <div class="buttons">
              <LinkButton
                to={visit.session ? '/data' : '/sign-in'}
                words={visit.session ? 'Open the map' : 'Sign in'}
              />
              <LinkButton to="/docs/" words="API docs" icon="code" kind="second" />
            </div>
            <small>Runs on your own server · public county data · no tracking</small>
          </div>
          <Picture {...visit} />
        </section>
        <ul class="features">
          {FEATURES.map(([icon, title, words]) => (
            <li>
              <Icon name={icon} large />
              <h2>{title}</h2>
              <p>{words}</p>
            </li>
          ))}
        </ul>
        <section class="programs">
          <div>
            <h2>Built for developers, too</h2>
            <p>
              Everything in the app is also in the REST API, and AI assistants connect through MCP.{' '}
              <a href="/openapi.json">View OpenAPI</a>
            </p>
          </div>
          <pre tabindex={0}>{`curl -X POST ${visit.apiUrl || '$PLAT_URL'}/api/public/v1/properties/filter/ \\
  -H "Authorization: Bearer $PLAT_KEY" -H "Content-Type: application/json" \\
  -d '{"county":"33019","acres_min":5,"vacant_only":true}'`}</pre>
        </section>
      </>
    ),
  }),
};
