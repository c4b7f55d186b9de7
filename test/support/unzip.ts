import { unzipSync } from 'fflate';

/** Returns the bytes of one file in a ZIP archive. */
export const unzipped = (zip: Uint8Array, member: string): Buffer => Buffer.from(unzipSync(zip)[member]!);
