import type { IncomingMessage } from 'node:http';
import type { Config } from './config.ts';
import { isLoopback } from './origin.ts';
import { sameSecret } from './secrets.ts';

/**
 * Checks access to /metrics. If METRICS_TOKEN is set, it is required as a bearer token. If it isn't set and
 * the service listens on loopback, programs on this machine that connect directly have access. Otherwise, no
 * one does.
 */
export function metricsAccess(
  { headers, socket }: IncomingMessage,
  { METRICS_TOKEN, HOST }: Pick<Config, 'METRICS_TOKEN' | 'HOST'>,
): 'granted' | 'unauthorized' | 'none' {
  if (METRICS_TOKEN !== undefined) {
    const token = /^Bearer +([^ ]+) *$/i.exec(headers.authorization ?? '')?.[1];
    return token !== undefined && sameSecret(token, METRICS_TOKEN) ? 'granted' : 'unauthorized';
  }
  const forwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  return isLoopback(HOST) && isLoopback(socket.remoteAddress ?? '') && !forwarded ? 'granted' : 'none';
}
