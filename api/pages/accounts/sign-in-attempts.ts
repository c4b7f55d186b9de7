import { randomBytes } from 'node:crypto';
import { findByEmail } from '../../../shared/accounts/account-statements.ts';
import { uuidV5 } from '../../../shared/model/uuid.ts';
import { clientNetwork } from '../../http/client-network.ts';
import { requireAdmitted } from '../../http/rate-limits.ts';
import { sign, verifySigned } from '../../http/signed.ts';
import { type PageDeps, setCookie, type Visit } from '../frame/visit.ts';

// Limits on attempts that guess a secret or send an email. A browser where the user has signed in before
// has its own count, so an attacker can't lock them out:
// https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies

type Limit = { burst: number; perMinute: number };

const OWN_LIMIT: Limit = { burst: 10, perMinute: 1 };
/** Many people in an office can share one IP address. */
const NETWORK_LIMIT: Limit = { burst: 100, perMinute: 10 };

/** Limits the number of invitation emails that a company can send. */
export const INVITATION_LIMIT: Limit = { burst: 30, perMinute: 1 };

/** Limits across all networks, not counting known browsers: guesses per account, and emails per address. */
const EVERYWHERE: Record<AttemptKind, Limit> = {
  password: { burst: 1_000, perMinute: 100 },
  sign_in: { burst: 30, perMinute: 1 },
  reset: { burst: 30, perMinute: 1 },
};

/** A password, an emailed sign-in link, or a link to set a new password. */
type AttemptKind = 'password' | 'sign_in' | 'reset';

/** @throws PlatError `rate_limited` */
export async function countAttempt(name: string, { rateLimits }: PageDeps, limit = OWN_LIMIT): Promise<void> {
  const { burst: rateBurst, perMinute: ratePerMinute } = limit;
  const bucket = { ratePerMinute, rateBurst, skipTracePerMinute: 1 };
  requireAdmitted(await rateLimits.admit({ id: uuidV5(`attempt:${name}`), ...bucket }));
}

/** Counts an attempt to sign in to an account. @throws PlatError `rate_limited` */
export async function countSignIn(visit: Visit, what: AttemptKind, email: string): Promise<void> {
  const { deps, req } = visit;
  const device = await knownDevice(visit, email);
  if (device !== undefined) return countAttempt(`${what} device:${device}`, deps);
  const account = email.toLowerCase();
  const network = clientNetwork(req.ip ?? '');
  // Count these in order, so that an attempt refused by an earlier limit doesn't use up a later one.
  await countAttempt(`${what} from:${network}`, deps, NETWORK_LIMIT);
  await countAttempt(`${what} from:${network} to:${account}`, deps);
  await countAttempt(`${what} to:${account}`, deps, EVERYWHERE[what]);
}

const COOKIE = 'plat_device';
const YEAR_SECONDS = 365 * 24 * 3600;
const FORMAT = 'plat device 1\n';

/** A browser where a user has signed in before. This doesn't grant access. */
type Device = { user: string; id: string };

/** Marks the browser as the user's after they sign in. */
export async function rememberDevice(visit: Visit, user: string): Promise<void> {
  const device: Device = { user, id: randomBytes(12).toString('base64url') };
  const value = sign(FORMAT, device, await visit.deps.resources.cursorSecret());
  setCookie(visit, { name: COOKIE, value, path: '/sign-in', seconds: YEAR_SECONDS });
}

/** The browser's id if the user with this email has signed in there before. */
async function knownDevice({ req, deps }: Visit, email: string): Promise<string | undefined> {
  const { db, cursorSecret } = deps.resources;
  const value = /(?:^|;) *plat_device=([A-Za-z0-9_-]+)(?:;|$)/.exec(req.headers.cookie ?? '')?.[1];
  if (value === undefined) return undefined;
  const device = verifySigned(FORMAT, value, [await cursorSecret()]) as Device | undefined;
  if (device === undefined) return undefined;
  const user = await findByEmail(db, email);
  return user?.id === device.user ? device.id : undefined;
}
