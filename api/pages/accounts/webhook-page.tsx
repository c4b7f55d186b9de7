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
import { Act, Back, Field, Grid, Notice, Secret, Submit } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { answerForm, callEndpoint, ownAccount, type Visit } from '../frame/visit.ts';
import { countyOf } from '../map/county-filter.ts';
import { listCounties } from '../map/read-filters.ts';
import {
  placeOf,
  refusedWebhook,
  type Searches,
  type Sent,
  stateOf,
  WebhookFields,
} from './account-webhooks.tsx';

type Done = { good?: string; bad?: string; secret?: string; sent?: Sent };

/** A webhook: what was sent to it, and what can be done about it. */
export const webhookPage: Page = {
  path: '/account/webhooks/:id',
  access: 'session',
  get: visit => show(visit, {}),
  async post(visit) {
    const name = visit.form.get('do') ?? '';
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (action === undefined) throw new PlatError('validation_error', 'The form is not known.');
    return answerForm(
      async () => {
        ownAccount(visit.session!);
        const done = await action(visit, { id: visit.req.params.id });
        return 'redirect' in done ? done : show(visit, done);
      },
      (bad, faults) => show(visit, name === 'change' ? refusedWebhook(visit, bad, faults) : { bad }),
    );
  },
};

type Action = (visit: Visit, params: object) => Promise<Done | { redirect: string }>;

const ACTIONS: Record<string, Action> = {
  async test(visit, params) {
    await callEndpoint(visit, testWebhook, { params });
    return { good: 'A test message is on its way: see below whether it arrives.' };
  },
  async rotate(visit, params) {
    const { secret } = await callEndpoint<{ secret: string }>(visit, rotateSecret, { params });
    return {
      good: `The new secret signs from now on, and the old one beside it for ${OLD_SECRET_HOURS} hours. Copy it now: it is not shown again.`,
      secret,
    };
  },
  async switch(visit, params) {
    const enabled = visit.form.get('id') === 'on';
    await callEndpoint(visit, changeWebhook, { params, body: { enabled } });
    return { good: enabled ? 'The webhook is on.' : 'The webhook is off.' };
  },
  async change(visit, params) {
    await callEndpoint(visit, changeWebhook, { params, body: await webhookOf(visit) });
    return { good: 'The webhook is changed.' };
  },
  async resend(visit, params) {
    const body = { message_id: visit.form.get('id') };
    await callEndpoint(visit, replayWebhook, { params, body });
    return { good: 'The message is sent again.' };
  },
  async replay(visit, params) {
    const day = visit.form.get('since') ?? '';
    const body = { since: `${day}T00:00:00Z` };
    const { messages } = await callEndpoint<{ messages: number }>(visit, replayWebhook, { params, body });
    return { good: `${messages} messages since ${day} are sent again.` };
  },
  async delete(visit, params) {
    await callEndpoint(visit, deleteWebhook, { params });
    return { redirect: '/account#webhooks' };
  },
};

/** The fields of a webhook as a form has them. @throws PlatError `validation_error` for what is no county */
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

async function show(visit: Visit, done: Done) {
  ownAccount(visit.session!);
  const params = { id: visit.req.params.id };
  const webhook = await callEndpoint<WebhookAnswer>(visit, getWebhook, { params });
  const searches = await callEndpoint<Searches>(visit, listSearches);
  const deliveries = await callEndpoint<Delivery[]>(visit, listDeliveries, { params });
  const isOpen =
    webhook.enabled && deliveries.some(({ state, attempts }) => state === 'pending' && attempts === 0);
  const body = (
    <>
      <Back to="/account#webhooks" words="Account" />
      <h1>Webhook</h1>
      {done.bad && <Notice kind="bad">{done.bad}</Notice>}
      {done.good && <Notice kind="good">{done.good}</Notice>}
      {done.secret && <Secret text={done.secret} />}
      <p>
        <code>{webhook.url}</code> is {stateOf(webhook)}. It hears of what changes:{' '}
        {placeOf(webhook, searches)}.
      </p>
      <div class="buttons">
        <Act label="Send a test" does="test" id={webhook.id} kind="second" />
        <Act
          label={webhook.enabled ? 'Switch off' : 'Switch on'}
          does="switch"
          id={webhook.enabled ? 'off' : 'on'}
          kind="second"
        />
      </div>
      <section>
        <h2>Messages</h2>
        <div id="progress" data-open={isOpen ? '' : undefined}>
          {deliveries.length === 0 ? (
            <p>None yet. Messages are kept for {MESSAGES_DAYS} days.</p>
          ) : (
            <Grid
              name="Messages"
              cards
              heads={['When', 'What', 'State', 'Attempts', 'Answer', '']}
              rows={deliveries.map(delivery => [
                moment(delivery.created_at),
                `${delivery.type}${delivery.fips === null ? '' : ` in ${delivery.fips}`}`,
                delivery.next_at === null || delivery.attempts === 0
                  ? delivery.state
                  : `again ${moment(delivery.next_at)}`,
                String(delivery.attempts),
                delivery.error ?? String(delivery.status ?? ''),
                <Act label="Send again" does="resend" id={delivery.message_id} kind="small quiet" />,
              ])}
            />
          )}
        </div>
        <details>
          <summary>Send all since a day again</summary>
          <form method="post" class="stack narrow-form">
            <Field
              label="Since"
              name="since"
              type="date"
              required
              hint={`Midnight in UTC. Messages of the last ${MESSAGES_DAYS} days are kept.`}
            />
            <div class="buttons">
              <Submit label="Send again" does="replay" />
            </div>
          </form>
        </details>
      </section>
      <section>
        <h2>Settings</h2>
        <details open={done.sent !== undefined}>
          <summary>What it is told of</summary>
          <form method="post" class="stack narrow-form">
            <WebhookFields webhook={webhook} searches={searches} sent={done.sent} />
            <div class="buttons">
              <Submit label="Change" does="change" />
            </div>
          </form>
        </details>
        <details>
          <summary>New secret</summary>
          <p>
            The present one goes on signing for {OLD_SECRET_HOURS} hours, so that you can change your program
            meanwhile.
          </p>
          <Act label="Make a new secret" does="rotate" id={webhook.id} kind="second" />
        </details>
        <details>
          <summary>Delete</summary>
          <p>What was to be delivered to it is deleted as well.</p>
          <Act label="Delete webhook" does="delete" id={webhook.id} kind="danger" />
        </details>
      </section>
    </>
  );
  return { title: 'Webhook', body, ...followed(isOpen) };
}
