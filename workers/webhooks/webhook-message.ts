import { Webhook } from 'standardwebhooks';
import { version } from '../../shared/base/root.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';

/** A delivery that a courier has taken. */
export type Taken = {
  webhook_id: string;
  message_id: string;
  turn: number;
  /** Before this one. */
  attempts: number;
  url: string;
  type: string;
  seq: number;
  fips: number | null;
  at: Date;
  data: Record<string, unknown>;
  /** The database's clock, which all workers go by. */
  now: Date;
  /** The newest first. */
  secrets: string[];
};

const USER_AGENT = `Plat/${version} (+webhooks)`;

/**
 * What is sent: thin, as what it tells of is read, and paid for, at `data.read`. @param apiUrl empty for
 * relative links
 */
export function bodyOf({ type, seq, fips, at, data }: Taken, apiUrl: string): string {
  const isTest = type === 'webhook.test';
  const query = new URLSearchParams({ types: type, after: String(seq - 1) });
  if (fips !== null) query.set('fips', fiveDigits(fips));
  return JSON.stringify({
    type,
    timestamp: at.toISOString(),
    data: { ...data, ...(!isTest && { read: `${apiUrl}/api/public/v1/changes/?${query}` }) },
  });
}

/** Signed with every secret that is valid, as Standard Webhooks 1.0 has it. */
export function headersOf({ message_id, now, secrets }: Taken, body: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'webhook-id': message_id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': secrets.map(secret => new Webhook(secret).sign(message_id, now, body)).join(' '),
  };
}
