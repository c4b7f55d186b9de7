import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { expect } from 'vitest';

type Schema = Record<string, unknown>;
type Header = { required?: boolean; schema: Schema };
type Ref = { $ref: string };
type Response = { headers?: Record<string, Header | Ref>; content?: Record<string, { schema: Schema }> };
type Operation = { responses: Record<string, Response | Ref>; 'x-quote'?: Ref };
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
};

/** A response as the client received it. */
export type Reply = { method: string; path: string; status: number; headers: Headers; text: string };

/** Headers that every response has, whether or not its path is documented. */
const ALWAYS = [
  'x-request-id',
  'x-tokens-used',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit-policy',
  'ratelimit',
  'x-content-type-options',
];

/**
 * Checks responses against the published document, more strictly than a client may: unknown fields are errors
 * here. Returns a function that throws on the first difference.
 */
export function conformsTo(document: Document): (reply: Reply) => void {
  // With inlineRefs, every reference gets a copy of the definition, which takes twice as long to compile.
  const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false });
  // The package is CommonJS, so its function is the `default` of the module's default export.
  (ajvFormats as unknown as { default: (ajv: Ajv2020) => void }).default(ajv);
  ajv.addSchema(close(structuredClone(document)) as Schema, 'document');
  const compiled = new Map<string, ValidateFunction>();
  const validator = (pointer: string): ValidateFunction => {
    let validate = compiled.get(pointer);
    if (validate === undefined) {
      validate = ajv.compile({ $ref: `document#${pointer}` });
      compiled.set(pointer, validate);
    }
    return validate;
  };
  const templates = Object.keys(document.paths).map(path => ({
    path,
    pattern: new RegExp(`^${path.replace(/\/$/, '/?').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));

  return reply => {
    // OPTIONS works on every path and is documented on none.
    if (reply.method === 'OPTIONS') return;
    for (const name of ALWAYS)
      expect(reply.headers.has(name), `${reply.method} ${reply.path} ${reply.status} lacks ${name}`).toBe(
        true,
      );
    const path = templates.find(({ pattern }) => pattern.test(reply.path.split('?')[0]!))?.path;
    if (path === undefined) {
      if (reply.status >= 400 && reply.method !== 'HEAD')
        assertValid(validator('/components/schemas/Error'), JSON.parse(reply.text), reply);
      return;
    }
    const method = reply.method === 'HEAD' ? 'get' : reply.method.toLowerCase();
    // An unsupported method gets a response that is documented for the path's other methods.
    const documented =
      document.paths[path]![method] === undefined ? Object.keys(document.paths[path]!)[0]! : method;
    const responses = document.paths[path]![documented]!.responses;
    if (responses[String(reply.status)] === undefined)
      throw new Error(`${reply.method} ${path}: status ${reply.status} is not documented. ${reply.text}`);
    const place = `/paths/${pointerPart(path)}/${documented}/responses/${reply.status}`;
    const [response, at] = follow<Response>(document, responses[String(reply.status)]!, place);
    const quote = isQuote(reply) && document.paths[path]![documented]!['x-quote'];
    for (const [name, given] of Object.entries(response.headers ?? {})) {
      const [header, headerAt] = follow<Header>(document, given, `${at}/headers/${pointerPart(name)}`);
      const value = reply.headers.get(name);
      if (value === null) {
        expect(
          (header.required ?? false) && !quote,
          `${reply.method} ${path} ${reply.status} lacks ${name}`,
        ).toBe(false);
        continue;
      }
      const typed = header.schema.type === 'integer' ? Number(value) : value;
      assertValid(validator(`${headerAt}/schema`), typed, reply);
    }
    if (reply.method === 'HEAD') return;
    if (response.content === undefined)
      expect(reply.text, `${method} ${path} ${reply.status} has no body`).toBe('');
    else {
      expect(reply.headers.get('content-type')).toMatch(/^application\/json\b/);
      const schema = quote ? quote.$ref.slice(1) : `${at}/content/application~1json/schema`;
      assertValid(validator(schema), JSON.parse(reply.text), reply);
    }
  };
}

const isQuote = ({ path, status }: Reply): boolean =>
  status === 200 && new URL(path, 'http://localhost').searchParams.get('quote') === 'true';

function assertValid(validate: ValidateFunction, value: unknown, reply: Reply): void {
  if (validate(value)) return;
  const faults = validate.errors!.map(
    error => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`,
  );
  throw new Error(
    `${reply.method} ${reply.path} ${reply.status} is not as published:\n${faults.join('\n')}\n${reply.text.slice(0, 500)}`,
  );
}

/** Returns a node of the document, or the component that it refers to, with the JSON pointer to it. */
function follow<T extends object>(document: Document, node: T | Ref, pointer: string): [T, string] {
  if (!('$ref' in node)) return [node, pointer];
  const target = node.$ref.slice(1);
  const found = target
    .split('/')
    .slice(1)
    .reduce<unknown>((at, key) => (at as Schema)[key], document);
  return [found as T, target];
}

/** Disallows additional properties in every object schema with properties. */
function close(node: unknown): unknown {
  if (Array.isArray(node)) for (const item of node) close(item);
  else if (typeof node === 'object' && node !== null) {
    const schema = node as Schema;
    if (schema.type === 'object' && schema.properties !== undefined) schema.additionalProperties ??= false;
    for (const value of Object.values(schema)) close(value);
  }
  return node;
}

function pointerPart(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
