import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { PlatError } from '../errors.ts';
import { type CallLimits, openGuardedCall, type ProviderRequest } from './guarded-call.ts';

/**
 * A provider described by a file: its URL, headers, and body, and the paths of fields in its JSON response.
 * `{name}` is replaced by a value from the call. `${NAME}` is replaced by an environment variable, which
 * keeps keys out of the file.
 */

const path = z
  .string()
  .regex(/^[^.[\]\s]+(\[\d+\])*(\.[^.[\]\s]+(\[\d+\])*)*$/, 'is not a path such as results[0].person.name');

const list = z.strictObject({
  each: path.describe('Path of the list.'),
  fields: z.record(z.string(), path).describe('Path of each field in an entry of the list.'),
});

export const providerSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 of a-z, 0-9, and -'),
  url: z.string().min(1),
  method: z.enum(['GET', 'POST']).default('POST'),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string()).default({}),
  body: z.json().optional(),
  nothing_found: z.array(z.int().min(400).max(499)).default([404]),
  timeout_ms: z.int().min(100).max(60_000).default(10_000),
  tries: z.int().min(1).max(5).default(3),
  response: z.record(z.string(), z.union([path, list])),
});

export type ProviderFile = z.output<typeof providerSchema>;

export type Values = Readonly<Record<string, string | number | null>>;

/** The value of each field of `response`; undefined if the body doesn't have it. */
export type ExtractedFields = Record<string, unknown>;

export type Provider = {
  name: string;
  /** @returns null if the provider has nothing @throws PlatError `provider`, see `openGuardedCall` */
  query(values: Values, signal?: AbortSignal): Promise<ExtractedFields | null>;
};

/**
 * Loads a provider's file (YAML or JSON).
 * @param names allowed placeholders
 * @param fields allowed fields of `response`
 * @throws PlatError `config`, which says what is wrong, such as an unset environment variable
 */
export function loadProvider(
  file: string,
  {
    names,
    fields,
    maxTimeoutMs = 60_000,
  }: { names: readonly string[]; fields: readonly string[]; maxTimeoutMs?: number },
  env: Record<string, string | undefined> = process.env,
): Provider {
  const fault = (what: string, cause?: unknown) =>
    new PlatError('config', `${file}: ${what}. See docs/providers.md.`, { cause });
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw fault('is not readable', error);
  }
  const document = parseDocument(text);
  const checked = providerSchema.safeParse(document.errors.length > 0 ? undefined : document.toJS());
  if (document.errors.length > 0) throw fault(document.errors[0]!.message.split('\n')[0]!);
  if (!checked.success)
    throw fault(checked.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`).join('; '));
  if (checked.data.timeout_ms > maxTimeoutMs) throw fault(`timeout_ms: must be ${maxTimeoutMs} or less`);
  const stray = Object.keys(checked.data.response).filter(name => !fields.includes(name));
  if (stray.length > 0)
    throw fault(`response: unknown field ${stray.join(', ')} (known: ${fields.join(', ')})`);
  const used = [checked.data.url, ...stringsOf(checked.data.headers), ...stringsOf(checked.data.body)];
  const unknown = used.flatMap(placeholders).filter(name => !names.includes(name));
  if (unknown.length > 0) throw fault(`unknown placeholder {${unknown[0]}} (known: ${names.join(', ')})`);
  const [inHeader] = stringsOf(checked.data.headers).flatMap(placeholders);
  if (inHeader !== undefined) throw fault(`headers: {${inHeader}} works only in the url and the body`);
  const missing = used.flatMap(variables).filter(name => !env[name]);
  if (missing.length > 0) throw fault(`the environment variable ${missing[0]} is not set`);
  const { url, headers, body } = mapStrings(
    { url: checked.data.url, headers: checked.data.headers, body: checked.data.body },
    text => text.replace(VARIABLE, (_all, name) => env[name]!),
  ) as Pick<ProviderFile, 'url' | 'headers' | 'body'>;
  requireSafeUrl(url, fault);
  return openProvider({ ...checked.data, url, headers, body });
}

export function openProvider(file: ProviderFile, limits: Partial<CallLimits> = {}): Provider {
  const { name, nothing_found: noMatchStatuses, timeout_ms: totalMs, tries, response } = file;
  const call = openGuardedCall(name, noMatchStatuses, { totalMs, tries, ...limits });
  return {
    name,
    async query(values, signal) {
      const { status, body } = await call(requestOf(file, values), signal);
      return noMatchStatuses.includes(status) ? null : extractFields(response, body);
    },
  };
}

function requestOf({ url, method, headers, body }: ProviderFile, values: Values): ProviderRequest {
  // Values are encoded and the origin is fixed, so a value can't change the destination.
  const address = new URL(
    url.replace(PLACEHOLDER, (_all, name) => encodeURIComponent(String(values[name] ?? ''))),
  );
  const filled = body === undefined ? undefined : fillTemplate(body, values);
  return { url: address, method, headers, ...(filled !== undefined && { body: filled }) };
}

/**
 * Fills a template. A string that is only a placeholder becomes the value itself, of any type. Entries
 * without a value are omitted.
 */
function fillTemplate(template: unknown, values: Values): unknown {
  if (typeof template === 'string') {
    const whole = /^\{(\w+)\}$/.exec(template)?.[1];
    if (whole !== undefined) return values[whole] ?? undefined;
    return template.replace(PLACEHOLDER, (_all, name) => String(values[name] ?? ''));
  }
  if (Array.isArray(template))
    return template.map(item => fillTemplate(item, values)).filter(item => item !== undefined);
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [key, fillTemplate(value, values)]),
  );
}

export function extractFields(response: ProviderFile['response'], body: unknown): ExtractedFields {
  return Object.fromEntries(
    Object.entries(response).map(([field, where]) => {
      if (typeof where === 'string') return [field, valueAt(body, where)];
      const entries = valueAt(body, where.each);
      return [
        field,
        Array.isArray(entries) ? entries.map(entry => extractFields(where.fields, entry)) : undefined,
      ];
    }),
  );
}

function valueAt(value: unknown, where: string): unknown {
  const steps = where.split(/[.[\]]+/).filter(step => step !== '');
  return steps.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, step)
        ? (inner as Record<string, unknown>)[step]
        : undefined,
    value,
  );
}

// Doesn't match `${NAME}`, which is an environment variable.
const PLACEHOLDER = /(?<!\$)\{(\w+)\}/g;
const VARIABLE = /\$\{(\w+)\}/g;

const placeholders = (text: string): string[] => [...text.matchAll(PLACEHOLDER)].map(match => match[1]!);
const variables = (text: string): string[] => [...text.matchAll(VARIABLE)].map(match => match[1]!);

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map(item => mapStrings(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, change)]));
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));

/** Requires a hostname without placeholders, and https, because calls contain keys and personal data. */
function requireSafeUrl(template: string, fault: (what: string) => PlatError): void {
  const origin = /^https?:\/\/[^/?#]+/.exec(template)?.[0];
  if (origin === undefined) throw fault('url: must start with https://');
  if (placeholders(origin).length > 0) throw fault('url: the host name must not contain a placeholder');
  const { protocol, hostname, username } = new URL(origin);
  if (username !== '') throw fault('url: must not contain a user name; send it in headers');
  if (protocol !== 'https:' && !isLoopback(hostname)) throw fault('url: must start with https://');
}
