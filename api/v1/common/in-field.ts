import { PlatError } from '../../../shared/platform/errors.ts';
import { validationError } from '../../http/error-responses.ts';

/** Prefixes the names of rejected fields with their path in the body. */
export async function inField<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PlatError) || error.code !== 'validation_error') throw error;
    const details = Object.entries(error.details ?? {}).map(([name, reasons]) => [
      `${field}.${name}`,
      reasons,
    ]);
    throw validationError(Object.fromEntries(details));
  }
}
