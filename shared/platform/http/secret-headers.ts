import { PlatError } from '../errors.ts';

/**
 * Reads header values from environment variables, given by name. @throws PlatError `config` if one isn't set
 */
export function secretHeaders(names: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(names).map(([header, variable]) => {
      const value = process.env[variable];
      if (value === undefined || value === '')
        throw new PlatError(
          'config',
          `An imagery source needs the environment variable ${variable}. Set it for the API and the workers.`,
        );
      return [header.toLowerCase(), value];
    }),
  );
}
