import { randomBytes } from 'node:crypto';
import { CHANGE_TYPES } from '../model/changes.ts';

/** Webhook events: the types of changes, plus changes in saved searches. */
export const WEBHOOK_TYPES = [...CHANGE_TYPES, 'search.changed'] as const;

/** The event types allowed in a webhook for a saved search. */
export const SEARCH_TYPES: readonly string[] = WEBHOOK_TYPES.filter(type =>
  /^(county|parcel|land|valuation|search)\./.test(type),
);

/** Per account. */
export const MAX_WEBHOOKS = 20;

/** How long messages are also signed with the old secret, in hours, so that receivers can be updated. */
export const OLD_SECRET_HOURS = 24;

/** How long messages are kept for display and resending, in days. */
export const MESSAGES_DAYS = 30;

/** The channel that notifies workers' dispatchers of messages to deliver. */
export const WEBHOOKS_CHANNEL = 'plat_webhooks';

/** The delay before each attempt, in seconds, as Standard Webhooks 1.0 recommends. */
export const SCHEDULE = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

/** 256 bits, within the range of 24 to 64 bytes that Standard Webhooks 1.0 allows. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
