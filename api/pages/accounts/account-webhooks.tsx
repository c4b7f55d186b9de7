import { moment } from '../../../shared/domain/figures.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import { WEBHOOK_TYPES } from '../../../shared/webhooks/webhook-terms.ts';
import { listSearches } from '../../v1/searches/search-endpoints.ts';
import { listWebhooks } from '../../v1/webhooks/webhook-endpoints.ts';
import type { WebhookAnswer } from '../../v1/webhooks/webhook-schema.ts';
import { Icon } from '../frame/icons.tsx';
import { Field, Grid, Panel, Select, Submit } from '../frame/layout.tsx';
import { callEndpoint, type Visit } from '../frame/visit.ts';

export type WebhookType = (typeof WEBHOOK_TYPES)[number];

const TYPE_WORDS: Record<WebhookType, string> = {
  'county.loaded': 'A county is loaded',
  'parcel.new': 'New parcels',
  'parcel.changed': 'Parcels changed: owner, sale, values …',
  'parcel.retired': 'Parcels left the roll',
  'parcel.returned': 'Parcels are back on the roll',
  'listing.new': 'New listings and sales',
  'listing.changed': 'Listings changed: price, status …',
  'listing.gone': 'Listings withdrawn',
  'valuation.moved': 'Estimates moved',
  'stats.written': 'Market statistics changed',
  'search.changed': 'What is new in a saved search',
};

const USUAL = new Set<WebhookType>(['parcel.new', 'parcel.changed', 'listing.new', 'listing.changed']);

/** Those of the company. */
export type Searches = readonly { id: string; name: string }[];

/** Where a webhook hears of parcels. */
export function placeOf({ fips, search_id }: WebhookAnswer, searches: Searches): string {
  const county = fips === null ? undefined : countyText(Number(fips));
  if (search_id === null) return county ?? 'everywhere';
  return searches.find(({ id }) => id === search_id)?.name ?? 'a saved search that is deleted';
}

/** Which messages a webhook gets: of a form for a new one, or of one that is there. */
export const WebhookFields = ({ webhook, searches }: { webhook?: WebhookAnswer; searches: Searches }) => (
  <>
    <Field
      label="Address"
      name="url"
      type="url"
      required
      maxlength={2_000}
      value={webhook?.url}
      placeholder="https://example.com/plat"
      hint="https, on the public internet."
    />
    <fieldset class="choices">
      <legend>Tell it of</legend>
      {WEBHOOK_TYPES.map(type => (
        <label>
          <input
            type="checkbox"
            name="type"
            value={type}
            checked={webhook ? webhook.types.includes(type) : USUAL.has(type)}
          />{' '}
          {TYPE_WORDS[type]}
        </label>
      ))}
    </fieldset>
    <Field
      label="County"
      name="county"
      maxlength={100}
      value={webhook?.fips ? countyText(Number(webhook.fips)) : undefined}
      hint="Its name or FIPS code. Empty: all counties."
    />
    {searches.length > 0 && (
      <Field
        label="Saved search"
        name="search"
        hint="Only what this search finds or found: of parcels, estimates and the search itself."
      >
        <Select
          name="search"
          options={[['', 'All parcels'], ...searches.map(({ id, name }) => [id, name] as [string, string])]}
          given={webhook?.search_id ?? ''}
        />
      </Field>
    )}
  </>
);

export function stateOf({ enabled, disabled_because, failing_since }: WebhookAnswer): string {
  if (disabled_because === 'gone') return 'off: it answered 410';
  if (disabled_because === 'failing') return 'off: nothing arrived for three days';
  if (!enabled) return 'off';
  return failing_since === null ? 'on' : `failing since ${moment(failing_since)}`;
}

/** Addresses that are told of changes, and the form for another one. */
export async function webhooksSection(visit: Visit, account: { own: boolean }) {
  const webhooks = await callEndpoint<WebhookAnswer[]>(visit, listWebhooks);
  const searches = await callEndpoint<Searches>(visit, listSearches);
  return (
    <Panel id="webhooks" title="Webhooks" flush>
      <p>Addresses of your own programs that get a signed message when something has changed.</p>
      {webhooks.length > 0 && (
        <Grid
          name="Webhooks"
          cards
          heads={['Address', 'Told of', 'Where', 'State']}
          rows={webhooks.map(webhook => [
            account.own ? <a href={`/account/webhooks/${webhook.id}`}>{webhook.url}</a> : webhook.url,
            webhook.types.join(', '),
            placeOf(webhook, searches),
            stateOf(webhook),
          ])}
        />
      )}
      {account.own ? (
        <details>
          <summary class="button second">
            <Icon name="plus" />
            New webhook
          </summary>
          <form method="post" action="/account" class="stack narrow-form">
            <WebhookFields searches={searches} />
            <div class="buttons">
              <Submit label="Add webhook" does="add webhook" />
            </div>
          </form>
        </details>
      ) : (
        <p>
          <small>Only the person whose account it is adds webhooks.</small>
        </p>
      )}
    </Panel>
  );
}
