import { PlatError } from './errors.ts';

const MOST_CHARACTERS = 100;

/** Control characters and line separators: they would break tables, logs and invoices. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** As PostgreSQL reads UUIDs, with or without dashes. */
const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/**
 * A name as it is stored: without blanks around it.
 * @param of what is named: `account`, `key`, …
 * @throws PlatError `name` when it is empty, longer than 100 characters or holds control characters.
 */
export function requireName(of: string, text: string): string {
  const name = text.trim();
  if (name === '') throw refused(of, 'is empty: give it 1 to 100 characters');
  const length = [...name].length;
  if (length > MOST_CHARACTERS) throw refused(of, `has ${length} characters; at most 100 are possible`);
  if (CONTROL.test(name)) throw refused(of, 'holds control characters, such as a tab or a line break');
  return name;
}

/**
 * Accounts are named by their ids, too: a name must never be taken for another account's id.
 * @throws PlatError `name`.
 */
export function requireAccountName(text: string): string {
  const name = requireName('account', text);
  if (UUID.test(name)) throw refused('account', 'looks like the id of an account: choose another one');
  return name;
}

function refused(of: string, why: string): PlatError {
  return new PlatError('name', `The name of the ${of} ${why}.`);
}
