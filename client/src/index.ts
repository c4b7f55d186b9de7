export { Budget, BudgetError } from './budget.ts';
export { connect, type Plat, type PlatOptions } from './connect.ts';
export { type Export, type NewExport, orderExport, waitForExport } from './exports.ts';
export type { components, operations, paths } from './openapi.ts';
export { PlatError, type Quote, quoted, type Result, unwrap } from './results.ts';
export type { RetryOptions, Send } from './retries.ts';
export { type At, pages, rows } from './rows.ts';
export {
  type MessageHeaders,
  type VerifyOptions,
  verifyWebhook,
  WebhookError,
  type WebhookMessage,
} from './webhooks.ts';
