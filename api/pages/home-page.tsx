import { Facts } from './frame/layout.tsx';
import type { Page } from './frame/pages.tsx';

const PLACES = [
  ['The map', 'parcels by 80 filters, by an area that you draw, each with all that is known of it'],
  ['Markets', 'sales, sell-through and prices per acre of every county and ZIP, in 22 sizes'],
  ['Comps', 'what sold around a parcel, chosen by you and put in a report that you can share'],
  ['Deals', 'the lots that you sell, by stage: grade, advice and profit'],
  [
    'For programs',
    <>
      a REST API with one key, and MCP for assistants: <a href="/docs/">documentation</a>,{' '}
      <a href="/openapi.json">OpenAPI</a>
    </>,
  ],
  [
    'Health',
    <>
      <a href="/healthz">alive</a>, <a href="/readyz">ready</a>
    </>,
  ],
] as const;

/** What people see first. Programs that ask for JSON get the pointer at the documentation (docs.ts). */
export const homePage: Page = {
  path: '/',
  access: 'public',
  forBrowsers: true,
  get: ({ session }) => ({
    title: 'US land parcels',
    body: (
      <section class="hero">
        <h1>What is this land, and what is it worth?</h1>
        <p>
          Parcels of US counties with their owners, slope, wetlands, flood zones and road frontage; what sold
          around them, how fast land of a size sells in a county, and an estimate with an interval that means
          something.
        </p>
        <p class="buttons">
          {session ? (
            <a class="button" href="/data">
              Open the map
            </a>
          ) : (
            <a class="button" href="/sign-in">
              Sign in
            </a>
          )}
          <a class="button second" href="/docs/">
            API documentation
          </a>
        </p>
        <Facts of={PLACES} />
      </section>
    ),
  }),
};
