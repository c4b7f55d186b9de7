import type { RequestHandler } from 'express';
import { type Details, sendError, validationError } from './error-responses.ts';

/** PostgreSQL can't store NUL or half of a surrogate pair. */
const MESSAGE = 'must not contain a NUL character or half of a surrogate pair';

const isText = (text: string): boolean => !text.includes('\0') && !/\p{Cs}/u.test(text);

/** Rejects a request that contains text that can't be stored. @throws PlatError `validation_error` */
export function requireText(...fields: Iterable<[name: string, value: unknown]>[]): void {
  const details = textFaults(...fields);
  if (details !== undefined) throw validationError(details);
}

export function textFaults(...fields: Iterable<[name: string, value: unknown]>[]): Details | undefined {
  let details: Details | undefined;
  for (const part of fields)
    for (const [name, value] of part) {
      if (isText(name) && isAllText(value)) continue;
      details ??= Object.create(null) as Details;
      details[name] = [MESSAGE];
    }
  return details;
}

/** The same check for paths and query strings, for handlers that aren't ours. */
export const requireTextInAddress: RequestHandler = (req, res, next) => {
  try {
    requireText([['path', decodeURIComponent(req.path)]], Object.entries(req.query));
    next();
  } catch (error) {
    sendError(res, error);
  }
};

function isAllText(value: unknown): boolean {
  if (typeof value === 'string') return isText(value);
  if (typeof value !== 'object' || value === null) return true;
  return Array.isArray(value)
    ? value.every(isAllText)
    : Object.entries(value).every(([name, one]) => isText(name) && isAllText(one));
}
