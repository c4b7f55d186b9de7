import { FAILURES, type Failure } from './failure.ts';
import { tidyText } from './text.ts';

/**
 * A list of web addresses. Takes a list, JSON text of one, or text separated by white space, '|',
 * ';' or a comma before the next address. One entry that is no address spoils the list: half a list would hide it.
 */
export function parseList(raw: unknown): string[] | null | Failure {
  const items = Array.isArray(raw) ? raw : split(tidyText(raw));
  const addresses: string[] = [];
  for (const item of items) {
    const address = tidyText(item);
    if (address === null) continue;
    if (!/^https?:\/\/\S+$/i.test(address)) return FAILURES.notAUrl;
    addresses.push(address);
  }
  return addresses.length === 0 ? null : addresses;
}

function split(text: string | null): unknown[] {
  if (text === null) return [];
  if (!text.startsWith('[')) return text.split(/[\s|;]+|,(?=https?:)/i);
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : [text];
  } catch {
    return [text];
  }
}
