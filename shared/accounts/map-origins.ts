import { PlatError } from '../platform/errors.ts';

/** More than any company has, and few enough to read. */
const MAX_ORIGINS = 50;

/** A protocol, a name or an address, and perhaps a port, without a path. */
const WEBSITE = /^https?:\/\/(?:[\p{L}\p{N}.-]+|\[[0-9a-f:.]+\])(?::\d+)?\/?$/iu;

/**
 * Origins as browsers send them, such as https://maps.example.com. Ignores empty lines, repeats, and a slash
 * at the end.
 * @throws PlatError `key_origins`
 */
export function originsOf(lines: readonly string[]): string[] {
  const origins = new Set<string>();
  for (const line of lines.map(each => each.trim()).filter(Boolean)) {
    if (!WEBSITE.test(line) || !URL.canParse(line))
      throw new PlatError(
        'key_origins',
        `"${line.slice(0, 100)}" is not a website. Enter its protocol and host, such as https://maps.example.com.`,
      );
    origins.add(new URL(line).origin);
  }
  if (origins.size > MAX_ORIGINS)
    throw new PlatError('key_origins', `A key can have up to ${MAX_ORIGINS} websites. Got ${origins.size}.`);
  return [...origins];
}
