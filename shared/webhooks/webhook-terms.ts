import { randomBytes } from 'node:crypto';
import { CHANGE_TYPES } from '../model/changes.ts';

/** What a webhook can be told of: types of changes, and what is new in searches that name it. */
export const WEBHOOK_TYPES = [...CHANGE_TYPES, 'search.changed'] as const;

/** Of these, what saved searches look at. */
export const SEARCH_TYPES: readonly string[] = WEBHOOK_TYPES.filter(type =>
  /^(county|parcel|land|valuation|search)\./.test(type),
);

/** Of an account. */
export const MAX_WEBHOOKS = 20;

/** For how many hours the secret before goes on signing, so that receivers can be changed meanwhile. */
export const OLD_SECRET_HOURS = 24;

/** For how many days messages are kept, to be looked at and sent again. */
export const MESSAGES_DAYS = 30;

/** Workers' dispatchers listen here for what there is to deliver. */
export const WEBHOOKS_CHANNEL = 'plat_webhooks';

/** The seconds before each attempt, as Standard Webhooks 1.0 recommends. */
export const SCHEDULE = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

/** 256 bits, within the 24 to 64 bytes of Standard Webhooks 1.0. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
