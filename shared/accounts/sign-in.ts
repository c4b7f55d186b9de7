import { hash, randomBytes } from 'node:crypto';
import { type Algorithm, hash as argonHash, verify as argonVerify } from '@node-rs/argon2';
import type { Db } from '../platform/db.ts';
import { PlatError } from '../platform/errors.ts';

/** The purpose of a one-time link: signing in, setting a new password, or joining a company. */
export type LinkPurpose = 'sign_in' | 'reset' | 'invite';

/** How long until a link expires, in minutes. Invitations last long enough for people on vacation. */
export const LINK_MINUTES: Record<LinkPurpose, number> = { sign_in: 30, reset: 60, invite: 7 * 24 * 60 };

/**
 * NIST SP 800-63B section 3.1.1.2: at least 8 characters, preferably 15. Any characters are allowed, with no
 * composition rules.
 */
const MIN_PASSWORD_LENGTH = 10;
const MAX_PASSWORD_LENGTH = 200;

/** OWASP's first recommendation for Argon2id: 19 MiB, 2 passes, 1 lane. */
const ARGON2 = { algorithm: 2 as Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** If no user has the address, this hash is verified instead, so that the response takes the same time. */
let dummyHash: Promise<string> | undefined;

/** A token for a session or link: 256 random bits. Only its hash is stored. */
export function newToken(): { token: string; tokenHash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenHash: tokenHashOf(token) };
}

export const tokenHashOf = (token: string): Buffer => hash('sha256', token, 'buffer');

export function requirePassword(password: string, email: string): string {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH)
    throw new PlatError('password', `Use a password with at least ${MIN_PASSWORD_LENGTH} characters.`);
  if (length > MAX_PASSWORD_LENGTH)
    throw new PlatError('password', `Use a password with up to ${MAX_PASSWORD_LENGTH} characters.`);
  const plain = password.toLowerCase();
  if (plain.includes(email.toLowerCase()) || new Set(plain).size < 4)
    throw new PlatError('password', 'This password is too easy to guess. Choose another one.');
  return password;
}

export async function storePassword(db: Db, userId: string, password: string): Promise<void> {
  await db.run('accounts/store_password', { user_id: userId, hash: await argonHash(password, ARGON2) });
}

/** Whether the password is correct. Takes the same time if the user does not exist or has no password. */
export async function verifyPassword(stored: string | null | undefined, candidate: string): Promise<boolean> {
  dummyHash ??= argonHash(randomBytes(16).toString('hex'), ARGON2);
  const right = await argonVerify(stored ?? (await dummyHash), candidate);
  return right && typeof stored === 'string';
}

/** Creates a one-time link, and returns its path. */
export async function createLink(db: Db, userId: string, purpose: LinkPurpose): Promise<string> {
  const { token, tokenHash } = newToken();
  await db.run('accounts/insert_link', {
    token_hash: tokenHash,
    user_id: userId,
    purpose,
    minutes: LINK_MINUTES[purpose],
  });
  return `/sign-in/link/${token}`;
}

export function linkLifetime(purpose: LinkPurpose): string {
  const minutes = LINK_MINUTES[purpose];
  return minutes < 120 ? `${minutes} minutes` : `${minutes / 60 / 24} days`;
}
