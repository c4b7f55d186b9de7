import { unzipSync } from 'fflate';

/** The bytes of one member of a zip. */
export const unzipped = (zip: Uint8Array, member: string): Buffer => Buffer.from(unzipSync(zip)[member]!);
