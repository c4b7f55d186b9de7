import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { verifyWebhook, WebhookError } from '../../../client/src/index.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const NOW = Date.UTC(2026, 10, 20, 4, 12, 9);
const BODY = JSON.stringify({
  type: 'parcel.new',
  timestamp: '2026-11-20T04:12:09Z',
  data: { seq: 1, é: 'ü' },
});

function headersFor(body = BODY, secret = SECRET, at = NOW) {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at / 1_000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', new Date(at), body),
  };
}

test('a message signed by the Standard Webhooks library is read', async () => {
  const message = JSON.parse(BODY);
  expect(await verifyWebhook(BODY, headersFor(), { secret: SECRET, now: NOW })).toEqual(message);
  const bytes = new TextEncoder().encode(BODY);
  expect(await verifyWebhook(bytes, new Headers(headersFor()), { secret: SECRET, now: NOW })).toEqual(
    message,
  );
});

test('one of several signatures or secrets is enough', async () => {
  const both = {
    ...headersFor(),
    'webhook-signature': `v1a,AAAA v1,!! ${headersFor(BODY, OTHER)['webhook-signature']} ${headersFor()['webhook-signature']}`,
  };
  await expect(verifyWebhook(BODY, both, { secret: SECRET, now: NOW })).resolves.toBeDefined();
  await expect(
    verifyWebhook(BODY, headersFor(), { secret: [OTHER, SECRET], now: NOW }),
  ).resolves.toBeDefined();
});

test.each([
  ['another body', `${BODY} `, headersFor()],
  ['another secret', BODY, headersFor(BODY, OTHER)],
  ['another id', BODY, { ...headersFor(), 'webhook-id': 'msg_2' }],
  ['another time', BODY, { ...headersFor(), 'webhook-timestamp': String(NOW / 1_000 + 1) }],
  ['a time too long ago', BODY, headersFor(BODY, SECRET, NOW - 301_000)],
  ['a time too far ahead', BODY, headersFor(BODY, SECRET, NOW + 301_000)],
  ['a time that is no number', BODY, { ...headersFor(), 'webhook-timestamp': 'now' }],
  ['no signature', BODY, { ...headersFor(), 'webhook-signature': '' }],
  [
    'a signature of another version',
    BODY,
    { ...headersFor(), 'webhook-signature': headersFor()['webhook-signature'].replace('v1', 'v2') },
  ],
  [
    'a part of a signature',
    BODY,
    { ...headersFor(), 'webhook-signature': headersFor()['webhook-signature'].slice(0, 20) },
  ],
  ['a missing header', BODY, { ...headersFor(), 'webhook-id': undefined }],
])('%s is refused', async (_, body, headers) => {
  await expect(verifyWebhook(body, headers, { secret: SECRET, now: NOW })).rejects.toThrow(WebhookError);
});

test('the tolerance can be changed', async () => {
  const headers = headersFor(BODY, SECRET, NOW - 301_000);
  await expect(
    verifyWebhook(BODY, headers, { secret: SECRET, now: NOW, toleranceSeconds: 400 }),
  ).resolves.toBeDefined();
});

test.each(['', 'whsec_', 'whsec_***'])('the secret %j is a mistake of the program', async secret => {
  await expect(verifyWebhook(BODY, headersFor(), { secret, now: NOW })).rejects.toThrow(TypeError);
});
