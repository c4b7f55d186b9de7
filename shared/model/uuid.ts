import { hash } from 'node:crypto';

/** Plat's namespace for the ids of regions and listings. It is a random UUID and must never change. */
const NAMESPACE = Buffer.from('77c42915e1ed41c88930f8185b044c6f', 'hex');

/** Accepts any version, in uppercase or lowercase, because people paste UUIDs. */
export const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export function uuidText(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * The UUID of a name (version 5, RFC 9562 section 5.5): 'county:33019', 'zip:03280', 'listing:' + source +
 * '\u0000' + source_id.
 */
export function uuidV5(name: string): string {
  const digest = hash('sha1', Buffer.concat([NAMESPACE, Buffer.from(name, 'utf8')]), 'hex');
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}
