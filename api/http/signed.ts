import { createHmac, timingSafeEqual } from 'node:crypto';

/** 128 bits. RFC 2104 section 5 allows truncating an HMAC to that length. */
const MAC_BYTES = 16;
/** Far longer than anything we sign. */
const MAX_LENGTH = 2_000;

/**
 * JSON and its HMAC-SHA256, as URL-safe text.
 * @param format the purpose of the text. The text is invalid for any other purpose
 */
export function sign(format: string, value: unknown, secret: Buffer): string {
  const json = Buffer.from(JSON.stringify(value));
  return Buffer.concat([macOf(format, json, secret), json]).toString('base64url');
}

/** The signed value, or undefined if it was altered or was not signed with one of these secrets. */
export function verifySigned(format: string, text: string, secrets: readonly Buffer[]): unknown {
  if (text.length > MAX_LENGTH || !/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  // Base64 can spell the last byte in several ways. Only the canonical spelling is valid.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== text) return undefined;
  const json = bytes.subarray(MAC_BYTES);
  const mac = bytes.subarray(0, MAC_BYTES);
  if (!secrets.some(secret => timingSafeEqual(mac, macOf(format, json, secret)))) return undefined;
  return JSON.parse(json.toString());
}

function macOf(format: string, json: Buffer, secret: Buffer): Buffer {
  return createHmac('sha256', secret).update(format).update(json).digest().subarray(0, MAC_BYTES);
}
