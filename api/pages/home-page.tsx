import { Icon, type IconName } from './frame/icons.tsx';
import type { Page } from './frame/pages.tsx';

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
    'handshake',
    'Comps and deals',
    'What sold around a parcel in a report that you can share; the lots that you sell, by stage.',
  ],
];

/** What people see first. Programs that ask for JSON get the pointer at the documentation (docs.ts). */
export const homePage: Page = {
  path: '/',
  access: 'public',
  forBrowsers: true,
  get: ({ session, apiUrl }) => ({
    title: 'Land, owners and what it is worth',
    body: (
      <>
        <section class="hero">
          <h1>Find the land. Know what it’s worth. Reach its owner.</h1>
          <p>
            Plat puts every parcel of your counties on one map, with its owner, its road, its water and an
            honest price range.
          </p>
          <p class="buttons">
            <a class="button" href={session ? '/data' : '/sign-in'}>
              {session ? 'Open the map' : 'Sign in'}
            </a>
            <a class="button second" href="/docs/">
              <Icon name="code" />
              API docs
            </a>
          </p>
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
        <section>
          <h2>The same, for programs</h2>
          <p>
            One REST API and MCP for assistants; every screen here is made from it.{' '}
            <a href="/openapi.json">OpenAPI</a>
          </p>
          <pre tabindex={0}>{`curl -X POST ${apiUrl || '$PLAT_URL'}/api/public/v1/properties/filter/ \\
  -H "Authorization: Bearer $PLAT_KEY" -H "Content-Type: application/json" \\
  -d '{"county":"33019","acres_min":5,"vacant_only":true}'`}</pre>
        </section>
      </>
    ),
  }),
};
