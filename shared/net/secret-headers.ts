import { PlatError } from '../errors.ts';

/**
 * Header fields whose values environment variables hold, so that they stand in no file.
 * @param names the variable of each field
 * @throws PlatError `config` when one is not set
 */
export function secretHeaders(names: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(names).map(([header, variable]) => {
      const value = process.env[variable];
      if (value === undefined || value === '')
        throw new PlatError(
          'config',
          `A source of imagery needs the environment variable ${variable}: set it for the API and the workers.`,
        );
      return [header.toLowerCase(), value];
    }),
  );
}
