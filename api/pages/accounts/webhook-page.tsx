import { moment } from '../../../shared/model/figures.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { fiveDigits } from '../../../shared/regions/counties.ts';
import { MESSAGES_DAYS, OLD_SECRET_HOURS } from '../../../shared/webhooks/webhook-terms.ts';
import { listSearches } from '../../v1/searches/search-endpoints.ts';
import { listDeliveries, replayWebhook, testWebhook } from '../../v1/webhooks/webhook-deliveries.ts';
import {
  changeWebhook,
  deleteWebhook,
  getWebhook,
  rotateSecret,
} from '../../v1/webhooks/webhook-endpoints.ts';
import type { Delivery, WebhookAnswer } from '../../v1/webhooks/webhook-schema.ts';
import { followed } from '../admin/job-progress.tsx';
import { Result } from '../frame/form-result.tsx';
import { Act, Back, Field, Grid, Submit } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, ownAccount, type Visit } from '../frame/visit.ts';
import { countyOf } from '../parts/county-filter.ts';
import { listCounties } from '../parts/read-filters.ts';
import {
  placeOf,
  type Searches,
  stateOf,
  urlHint,
  WebhookFields,
  type WebhookResult,
  webhookResult,
} from './account-webhooks.tsx';

export const webhookPage: Page = {
  path: '/account/webhooks/:id',
  access: 'session',
  show: (visit, result) =>
    show(visit, visit.form.get('do') === 'change' ? webhookResult(visit, result) : result),
  actions: {
    async test(visit) {
      await callEndpoint(visit, testWebhook, { params: ownParams(visit) });
      return { good: 'Test message queued. Its result appears below.' };
    },
    async rotate(visit) {
      const params = ownParams(visit);
      const { secret } = await callEndpoint<{ secret: string }>(visit, rotateSecret, { params });
      return {
        good: `New secret created. Copy it now. You won't see it again. Plat signs with the old one too for ${OLD_SECRET_HOURS} hours.`,
        secret,
      };
    },
    async switch(visit) {
      const enabled = visit.form.get('id') === 'on';
      await callEndpoint(visit, changeWebhook, { params: ownParams(visit), body: { enabled } });
      return { good: enabled ? 'Webhook turned on.' : 'Webhook turned off.' };
    },
    async change(visit) {
      const params = ownParams(visit);
      await callEndpoint(visit, changeWebhook, { params, body: await webhookOf(visit) });
      return { good: 'Webhook saved.' };
    },
    async resend(visit) {
      const body = { message_id: visit.form.get('id') };
      await callEndpoint(visit, replayWebhook, { params: ownParams(visit), body });
      return { good: 'Message queued to be resent.' };
    },
    async replay(visit) {
      const params = ownParams(visit);
      const day = visit.form.get('since') ?? '';
      const body = { since: `${day}T00:00:00Z` };
      const { messages } = await callEndpoint<{ messages: number }>(visit, replayWebhook, { params, body });
      return {
        good: `${messages} ${messages === 1 ? 'message' : 'messages'} since ${day} queued to be resent.`,
      };
    },
    async delete(visit) {
      await callEndpoint(visit, deleteWebhook, { params: ownParams(visit) });
      return { redirect: '/account#webhooks' };
    },
  },
};

/** The webhook in the URL. @throws PlatError `forbidden` for members other than the owner */
function ownParams({ session, req }: Visit): { id: unknown } {
  ownAccount(session!);
  return { id: req.params.id };
}

/** A webhook's fields, from a form. @throws PlatError `validation_error` for an unknown county */
export async function webhookOf(visit: Visit): Promise<object> {
  const text = (visit.form.get('county') ?? '').trim();
  const loaded = text === '' ? [] : await listCounties(visit);
  const county = text === '' ? null : countyOf(text, new Set(loaded.map(({ fips }) => Number(fips))));
  if (county instanceof PlatError) throw county;
  return {
    url: (visit.form.get('url') ?? '').trim(),
    types: visit.form.getAll('type'),
    fips: county === null ? null : fiveDigits(county),
    search_id: visit.form.get('search') || null,
  };
}

async function show(visit: Visit, result: WebhookResult) {
  const params = ownParams(visit);
  const webhook = await callEndpoint<WebhookAnswer>(visit, getWebhook, { params });
  const searches = await callEndpoint<Searches>(visit, listSearches);
  const deliveries = await callEndpoint<Delivery[]>(visit, listDeliveries, { params });
  const isOpen =
    webhook.enabled && deliveries.some(({ state, attempts }) => state === 'pending' && attempts === 0);
  const body = (
    <>
      <Back to="/account#webhooks" words="Account" />
      <h1>Webhook</h1>
      <Result of={result} />
      <p>
        <code>{webhook.url}</code> is {stateOf(webhook)}. It covers {placeOf(webhook, searches)}.
      </p>
      <div class="buttons">
        <Act label="Send test message" does="test" id={webhook.id} kind="second" />
        <Act
          label={webhook.enabled ? 'Turn off' : 'Turn on'}
          does="switch"
          id={webhook.enabled ? 'off' : 'on'}
          kind="second"
        />
      </div>
      <Messages deliveries={deliveries} isOpen={isOpen} />
      <Settings hint={urlHint(visit)} webhook={webhook} searches={searches} sent={result.sent} />
    </>
  );
  return { title: 'Webhook', body, ...followed(isOpen) };
}

function Messages({ deliveries, isOpen }: { deliveries: Delivery[]; isOpen: boolean }) {
  return (
    <section>
      <h2>Messages</h2>
      <div id="progress" data-open={isOpen ? '' : undefined}>
        {deliveries.length === 0 ? (
          <p>No messages yet. Plat keeps messages for {MESSAGES_DAYS} days.</p>
        ) : (
          <Grid
            name="Messages"
            cards
            heads={['Time', 'Event', 'Status', 'Attempts', 'Response', '']}
            rows={deliveries.map(delivery => [
              moment(delivery.created_at),
              `${delivery.type}${delivery.fips === null ? '' : ` in ${delivery.fips}`}`,
              delivery.next_at === null || delivery.attempts === 0
                ? delivery.state
                : `retries ${moment(delivery.next_at)}`,
              String(delivery.attempts),
              delivery.error ?? String(delivery.status ?? ''),
              <Act label="Resend" does="resend" id={delivery.message_id} kind="small quiet" />,
            ])}
          />
        )}
      </div>
      <details>
        <summary>Resend messages since a date</summary>
        <form method="post" class="stack narrow-form">
          <Field
            label="Since"
            name="since"
            type="date"
            required
            hint={`Starts at midnight UTC. Plat keeps messages for ${MESSAGES_DAYS} days.`}
          />
          <div class="buttons">
            <Submit label="Resend messages" does="replay" />
          </div>
        </form>
      </details>
    </section>
  );
}

type SettingsProps = {
  hint: string;
  webhook: WebhookAnswer;
  searches: Searches;
  sent: WebhookResult['sent'];
};

function Settings(settings: SettingsProps) {
  const { webhook } = settings;
  return (
    <section>
      <h2>Settings</h2>
      <details open={settings.sent !== undefined}>
        <summary>URL and events</summary>
        <form method="post" class="stack narrow-form">
          <WebhookFields {...settings} />
          <div class="buttons">
            <Submit label="Save webhook" does="change" />
          </div>
        </form>
      </details>
      <details>
        <summary>New secret</summary>
        <p>
          For {OLD_SECRET_HOURS} hours, Plat signs each message with both secrets, so you have time to update
          your program.
        </p>
        <Act label="Create new secret" does="rotate" id={webhook.id} kind="second" />
      </details>
      <details>
        <summary>Delete</summary>
        <p>Pending deliveries are deleted too.</p>
        <Act label="Delete webhook" does="delete" id={webhook.id} kind="danger" />
      </details>
    </section>
  );
}
