import type { Config } from '../../shared/platform/config.ts';
import { isLoopback } from '../../shared/platform/origin.ts';

const LOOPBACK_HOSTS = 'localhost,127.0.0.1,::1';

type Settings = Pick<
  Config,
  | 'HOST'
  | 'BASE_URL'
  | 'APP_URL'
  | 'ALLOWED_HOSTS'
  | 'TRUSTED_PROXIES'
  | 'DATABASE_URL'
  | 'WEBHOOK_PRIVATE_HOSTS'
>;

/** Whether Plat serves only this machine, with no public address, proxy, or database of its own. */
const isSandbox = (config: Settings): boolean =>
  isLoopback(config.HOST) &&
  [config.BASE_URL, config.APP_URL, config.DATABASE_URL].every(url => url === undefined) &&
  config.ALLOWED_HOSTS + config.TRUSTED_PROXIES === '';

/** The setting for the services. In a sandbox, webhooks can also call programs on this machine. */
export function webhookHosts(config: Settings): string {
  const { WEBHOOK_PRIVATE_HOSTS: own } = config;
  return isSandbox(config) ? [own, LOOPBACK_HOSTS].filter(Boolean).join(',') : own;
}
