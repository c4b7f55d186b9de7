import type { Db } from '../platform/db.ts';
import { PlatError } from '../platform/errors.ts';

const MAX_CHARACTERS = 100;

/** Would break tables and logs, or make one name look like another. */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/u;

/** As PostgreSQL reads UUIDs, with or without dashes. */
const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/**
 * A name as it is stored: without blanks around it. @throws PlatError `name` when it is empty, over 100
 * characters or holds control or invisible ones.
 */
export function requireName(of: string, text: string): string {
  const name = text.trim();
  if (name === '') throw refused(of, 'is empty: give it 1 to 100 characters');
  const length = [...name].length;
  if (length > MAX_CHARACTERS) throw refused(of, `has ${length} characters; at most 100 are possible`);
  if (UNSEEN.test(name))
    throw refused(
      of,
      'holds control characters or invisible ones, such as a tab, a line break or a zero-width space',
    );
  return name;
}

export type NamedSort = 'account' | 'company' | 'tier';

/**
 * An existing name, or a new one that is not taken.
 * @throws PlatError `name`, also when it differs only by case or encoding
 */
export async function requireKnownOrNewName(db: Db, of: NamedSort, text: string): Promise<string> {
  const rows = await db.run<{ name: string }>('accounts/list_names', { of });
  const names = rows.map(row => row.name);
  const existing = [text, text.trim()].find(each => names.includes(each));
  if (existing !== undefined) return existing;
  const name = of === 'account' ? requireAccountName(text) : requireName(of, text);
  const alike = names.find(other => folded(other) === folded(name));
  if (alike === undefined) return name;
  throw new PlatError(
    'name',
    `"${name}" differs only by case or encoding from the name of another ${of}, "${alike}": write it so if that is meant, or choose another name.`,
  );
}

/**
 * Equal for names that differ only by case or by how Unicode composes their characters; not by locale, as
 * databases have it.
 */
const folded = (name: string): string => name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');

/** Accounts are named by their ids, too: a name must never be taken for another account's id. */
function requireAccountName(text: string): string {
  const name = requireName('account', text);
  if (UUID.test(name)) throw refused('account', 'looks like the id of an account: choose another one');
  return name;
}

function refused(of: string, why: string): PlatError {
  return new PlatError('name', `The name of the ${of} ${why}.`);
}
