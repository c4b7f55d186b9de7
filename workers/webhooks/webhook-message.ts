import { Webhook } from 'standardwebhooks';
import { version } from '../../shared/platform/root.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';

/** A delivery that a dispatcher has taken. */
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

/** Thin, because the data is read, and paid for, at `data.read`. @param apiUrl empty for relative links */
export function bodyOf({ type, seq, fips, at, data }: Taken, apiUrl: string): string {
  const path = pathOf({ type, seq, fips, data });
  return JSON.stringify({
    type,
    timestamp: at.toISOString(),
    data: { ...data, ...(path && { read: `${apiUrl}/api/public/v1/${path}` }) },
  });
}

/** Where what it tells of is read; none of a test. */
function pathOf({
  type,
  seq,
  fips,
  data,
}: Pick<Taken, 'type' | 'seq' | 'fips' | 'data'>): string | undefined {
  if (type === 'webhook.test') return undefined;
  if (type === 'search.changed') return `searches/${data.search_id}/changes/?cursor=${data.after}`;
  const query = new URLSearchParams({ types: type, after: String(seq - 1) });
  if (fips !== null) query.set('fips', fiveDigits(fips));
  if (data.search_id !== undefined) query.set('search_id', String(data.search_id));
  return `changes/?${query}`;
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
