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
    'Vacant, dry, on a road, owned from out of state: eight switches, and every other field when you need it.',
  ],
  [
    'scale',
    'Values with a range',
    'An estimate from the sales around a lot, an 80 % range, and every adjustment shown.',
  ],
  [
    'chart-no-axes-column',
    'Markets',
    'Sell-through, days on market and price per acre by county, ZIP and lot size.',
  ],
  [
    'mail',
    'Lists and deals',
    'One row an owner, an offer beside each, export to any mail house, then follow the deal.',
  ],
];

/** The map as it is, by the theme of the page. */
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
        alt="Plat’s map of Washington, New Hampshire: vacant parcels of 5 to 20 acres colored by value per acre, and the list beside it"
      />
    </picture>
  );
}

/** What people see first. Programs that ask for JSON get the pointer at the documentation (docs.ts). */
export const homePage: Page = {
  path: '/',
  access: 'public',
  forBrowsers: true,
  get: visit => ({
    title: 'Land, owners and what it is worth',
    body: (
      <>
        <section class="hero">
          <div>
            <h1>Find the land. Know what it’s worth. Reach its owner.</h1>
            <p>
              Plat puts every parcel of your counties on one map, with its owner, its road, its water and an
              honest price range. Search it, list it, mail it, sell it.
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
            <h2>The same, for programs</h2>
            <p>
              One REST API and MCP for assistants; every screen here is made from it.{' '}
              <a href="/openapi.json">OpenAPI</a>
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
