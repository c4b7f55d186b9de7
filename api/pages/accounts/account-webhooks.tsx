import { moment } from '../../../shared/model/figures.ts';
import { hostsOf } from '../../../shared/platform/http/guarded-post.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import { WEBHOOK_TYPES } from '../../../shared/webhooks/webhook-terms.ts';
import { listSearches } from '../../v1/searches/search-endpoints.ts';
import { listWebhooks } from '../../v1/webhooks/webhook-endpoints.ts';
import type { WebhookAnswer } from '../../v1/webhooks/webhook-schema.ts';
import type { Faults, FormResult } from '../frame/forms.ts';
import { Icon } from '../frame/icons.tsx';
import { Field, Grid, Panel, Select, Submit } from '../frame/layout.tsx';
import { callEndpoint, type Visit } from '../frame/visit.ts';

export type WebhookType = (typeof WEBHOOK_TYPES)[number];

const TYPE_WORDS: Record<WebhookType, string> = {
  'county.loaded': 'County loaded',
  'parcel.new': 'New parcels',
  'parcel.changed': 'Changed parcels (owner, sale, values, and more)',
  'parcel.retired': 'Parcels removed from the roll',
  'parcel.returned': 'Parcels back on the roll',
  'listing.new': 'New listings and sales',
  'listing.changed': 'Changed listings (price, status, and more)',
  'listing.gone': 'Withdrawn listings',
  'land.measured': 'Changed land data (slope, road frontage, wetlands, flood zone)',
  'valuation.moved': 'Changed estimates',
  'stats.written': 'Changed market statistics',
  'search.changed': 'Changes in a saved search',
};

const USUAL: readonly string[] = ['parcel.new', 'parcel.changed', 'listing.new', 'listing.changed'];

export type Searches = readonly { id: string; name: string }[];

export function placeOf({ fips, search_id }: WebhookAnswer, searches: Searches): string {
  const county = fips === null ? undefined : countyText(Number(fips));
  if (search_id === null) return county ?? 'all counties';
  return searches.find(({ id }) => id === search_id)?.name ?? 'a deleted saved search';
}

/** A rejected form, and what is wrong with each field. */
export type Sent = { form: URLSearchParams; faults: Faults };

const LABELS: Record<string, string> = {
  url: 'URL',
  types: 'Events',
  county: 'County',
  fips: 'County',
  search_id: 'Saved search',
};

export type WebhookResult = FormResult & { sent?: Sent };

/**
 * The result of a webhook form. If the form was rejected, includes its fields and what is wrong with each.
 */
export function webhookResult({ form }: Visit, result: FormResult): WebhookResult {
  const { bad, faults = {} } = result;
  if (bad === undefined) return result;
  const words = Object.entries(faults).flatMap(([field, reasons]) =>
    // A message is either a continuation of the field's name or a full sentence.
    reasons.map(each => (/^\p{Ll}/u.test(each) ? `${LABELS[field] ?? field}: ${each}.` : each)),
  );
  return {
    bad: `Webhook not saved. ${words.length > 0 ? words.join(' ') : bad}`,
    sent: { form, faults },
  };
}

/** The values to show in a webhook form: as submitted, as stored, or the defaults for a new webhook. */
function valuesOf(webhook: WebhookAnswer | undefined, sent: Sent | undefined) {
  if (sent !== undefined) {
    const text = (name: string) => sent.form.get(name) ?? '';
    return {
      url: text('url'),
      types: sent.form.getAll('type'),
      county: text('county'),
      search: text('search'),
    };
  }
  if (webhook === undefined) return { types: USUAL };
  const { url, types, fips, search_id } = webhook;
  const county = fips === null ? undefined : countyText(Number(fips));
  return { url, types, county, search: search_id ?? '' };
}

/** The URLs that webhooks accept. The sandbox of `npm start` also accepts programs on the same machine. */
export const urlHint = ({ deps: { config } }: Visit): string =>
  hostsOf(config.WEBHOOK_PRIVATE_HOSTS).has('localhost')
    ? 'An https URL on the public internet, or a program on this computer, such as http://localhost:8080.'
    : 'An https URL on the public internet.';

type FieldsProps = { hint: string; webhook?: WebhookAnswer; searches: Searches; sent?: Sent | undefined };

export function WebhookFields({ hint, webhook, searches, sent }: FieldsProps) {
  const { url, types, county, search } = valuesOf(webhook, sent);
  const faultOf = (...names: string[]) => names.flatMap(name => sent?.faults[name] ?? []).join('; ');
  const ofTypes = faultOf('types');
  return (
    <>
      <Field
        label="URL"
        name="url"
        type="url"
        required
        maxlength={2_000}
        value={url}
        placeholder="https://example.com/plat"
        hint={hint}
        error={faultOf('url')}
        autofocus={faultOf('url') !== ''}
      />
      <fieldset class="choices" aria-describedby={ofTypes ? 'types-told' : undefined}>
        <legend>Events</legend>
        {WEBHOOK_TYPES.map(type => (
          <label>
            <input type="checkbox" name="type" value={type} checked={types.includes(type)} />{' '}
            {TYPE_WORDS[type]}
          </label>
        ))}
        {ofTypes && (
          <small id="types-told" class="bad">
            {ofTypes}
          </small>
        )}
      </fieldset>
      <Field
        label="County"
        name="county"
        maxlength={100}
        value={county}
        hint="County name or FIPS code. Leave empty for all counties."
        error={faultOf('county', 'fips')}
        autofocus={faultOf('county', 'fips') !== ''}
      />
      {searches.length > 0 && (
        <Field
          label="Saved search"
          name="search"
          hint="Limits parcel, estimate, and search events to parcels that this search finds now or found earlier."
          error={faultOf('search_id')}
        >
          <Select
            name="search"
            options={[['', 'All parcels'], ...searches.map(({ id, name }) => [id, name] as [string, string])]}
            given={search ?? ''}
          />
        </Field>
      )}
    </>
  );
}

export function stateOf({ enabled, disabled_because, failing_since }: WebhookAnswer): string {
  if (disabled_because === 'gone') return 'off: the URL returned 410';
  if (disabled_because === 'failing') return 'off: deliveries failed for three days';
  if (!enabled) return 'off';
  return failing_since === null ? 'on' : `failing since ${moment(failing_since)}`;
}

/** The account's webhooks, and the form for a new one. @param sent the submitted form, if it was rejected */
export async function webhooksSection(visit: Visit, account: { own: boolean }, sent: Sent | undefined) {
  const webhooks = await callEndpoint<WebhookAnswer[]>(visit, listWebhooks);
  const searches = await callEndpoint<Searches>(visit, listSearches);
  return (
    <Panel id="webhooks" title="Webhooks" flush>
      <p>Plat sends a signed message to your URL when data changes.</p>
      {webhooks.length > 0 && (
        <Grid
          name="Webhooks"
          cards
          heads={['URL', 'Events', 'Covers', 'Status']}
          rows={webhooks.map(webhook => [
            account.own ? <a href={`/account/webhooks/${webhook.id}`}>{webhook.url}</a> : webhook.url,
            webhook.types.join(', '),
            placeOf(webhook, searches),
            stateOf(webhook),
          ])}
        />
      )}
      {account.own ? (
        <details open={sent !== undefined}>
          <summary class="button second">
            <Icon name="plus" />
            New webhook
          </summary>
          <form method="post" action="/account" class="stack narrow-form">
            <WebhookFields hint={urlHint(visit)} searches={searches} sent={sent} />
            <div class="buttons">
              <Submit label="Create webhook" does="add webhook" />
            </div>
          </form>
        </details>
      ) : (
        <p>
          <small>Only the account's owner can add webhooks.</small>
        </p>
      )}
    </Panel>
  );
}
