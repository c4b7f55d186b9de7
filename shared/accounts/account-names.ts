import type { Db } from '../platform/db.ts';
import { PlatError } from '../platform/errors.ts';

const MAX_CHARACTERS = 100;

/** These characters break tables and logs, or make one name look like another. */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/u;

/** A UUID with or without dashes, because PostgreSQL accepts both. */
const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/**
 * Trims a name to the form in which it is stored. @throws PlatError `name` if it is empty, over 100
 * characters, or has control or invisible characters
 */
export function requireName(of: string, text: string): string {
  const name = text.trim();
  if (name === '') throw refused(of, 'is empty. Enter 1 to 100 characters');
  const length = [...name].length;
  if (length > MAX_CHARACTERS) throw refused(of, `has ${length} characters. Use up to 100`);
  if (UNSEEN.test(name))
    throw refused(
      of,
      'has control characters or invisible characters, such as a tab or zero-width space. Remove them',
    );
  return name;
}

export type NamedSort = 'account' | 'company' | 'tier';

/**
 * Returns an existing name, or a new one that is not taken.
 * @throws PlatError `name`, including if the name differs from an existing one only by case or encoding
 */
export async function requireKnownOrNewName(db: Db, of: NamedSort, text: string): Promise<string> {
  const rows = await db.run<{ name: string }>('accounts/list_names', { of });
  const names = rows.map(row => row.name);
  const existing = [text, text.trim()].find(each => names.includes(each));
  if (existing !== undefined) return existing;
  const name = of === 'account' ? requireAccountName(text) : requireName(of, text);
  const takenName = names.find(other => folded(other) === folded(name));
  if (takenName === undefined) return name;
  throw new PlatError(
    'name',
    `"${name}" differs only by case or encoding from the ${of} "${takenName}". Enter that name exactly, or choose another one.`,
  );
}

/** Folds case and Unicode composition. In the database, the result would depend on the locale. */
const folded = (name: string): string => name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');

/** Commands accept an account's name or id, so a name must never look like another account's id. */
function requireAccountName(text: string): string {
  const name = requireName('account', text);
  if (UUID.test(name)) throw refused('account', 'looks like the id of an account. Choose another one');
  return name;
}

function refused(of: string, why: string): PlatError {
  return new PlatError('name', `The name of the ${of} ${why}.`);
}
