import { rateLimited } from '../http/error-responses.ts';

/** Programs that download in parts open up to 8 connections. */
const MAX_PER_ADDRESS = 8;
const MAX_PER_ACCOUNT = 16;

export type ReaderLimits = {
  /**
   * Counts one more reader of a URL, or of an account's files, until the returned function is called.
   * @throws PlatError `rate_limited` when the limit is reached
   */
  enter(kind: 'address' | 'account', id: string): () => void;
};

/** Limits per process for file URLs. They need no API key, so no other limit applies to them. */
export function openReaderLimits(): ReaderLimits {
  const readers = new Map<string, number>();
  return {
    enter(kind, id) {
      const key = `${kind} ${id}`;
      const most = kind === 'address' ? MAX_PER_ADDRESS : MAX_PER_ACCOUNT;
      const count = readers.get(key) ?? 0;
      if (count >= most)
        throw rateLimited(
          `This ${kind} has ${most} downloads in progress. Wait until one of them has finished.`,
          10,
        );
      readers.set(key, count + 1);
      return () => {
        const left = readers.get(key)! - 1;
        if (left === 0) readers.delete(key);
        else readers.set(key, left);
      };
    },
  };
}
