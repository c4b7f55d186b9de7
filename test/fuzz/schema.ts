import fc, { type Arbitrary } from 'fast-check';
import { hostileValue, type Known, oddName } from './values.ts';

export type Schema = { readonly [key: string]: unknown };

/** Generates values that JSON Schemas allow, and values that are almost valid. */
export function fromSchemas(schemas: Readonly<Record<string, Schema>>, known: Known) {
  const resolve = (schema: Schema): Schema =>
    typeof schema.$ref === 'string' ? resolve(schemas[schema.$ref.split('/').at(-1)!]!) : schema;

  /** @param name the field's or parameter's name, for which known values may exist */
  function valid(given: Schema, name = ''): Arbitrary<unknown> {
    const schema = resolve(given);
    const made = bySchema(schema);
    const values = known.get(name);
    if (values === undefined || schema.type === 'array') return made;
    const isNumber = schema.type === 'integer' || schema.type === 'number';
    const value = fc.nat().map(n => values[n % values.length]!);
    return fc.oneof(
      { weight: 5, arbitrary: isNumber ? value.map(Number) : value },
      { weight: 1, arbitrary: made },
    );
  }

  function bySchema(schema: Schema, name = ''): Arbitrary<unknown> {
    const choice = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
    if (choice !== undefined) return fc.oneof(...choice.map(one => valid(one, name)));
    if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as unknown[]));
    if (Array.isArray(schema.type))
      return fc.oneof(...schema.type.map(type => bySchema({ ...schema, type }, name)));
    const {
      minimum = 0,
      maximum = 1e6,
      minItems = 0,
      maxItems = 3,
      items = {},
    } = schema as Record<string, number>;
    switch (schema.type) {
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return fc.integer({ min: minimum, max: Math.max(minimum, Math.min(maximum, 1e6)) });
      case 'number':
        return fc.double({ min: minimum, max: Math.min(maximum, 1e9), noNaN: true });
      case 'array':
        return fc.array(valid(items as unknown as Schema, name), {
          minLength: minItems,
          maxLength: Math.max(minItems, Math.min(maxItems, 3)),
        });
      case 'object':
        return object(schema);
      case 'null':
        return fc.constant(null);
      default:
        return text(schema);
    }
  }

  function object({ properties = {}, required = [] }: Schema): Arbitrary<Record<string, unknown>> {
    const fields = Object.entries(properties as Record<string, Schema>);
    const needed = new Set(required as string[]);
    const model = Object.fromEntries(fields.map(([name, schema]) => [name, valid(schema, name)]));
    const optional = fields.map(([name]) => name).filter(name => !needed.has(name));
    return fc
      .subarray(optional, { maxLength: Math.min(optional.length, 4) })
      .chain(chosen =>
        fc.record(
          Object.fromEntries([...needed, ...chosen].map(name => [name, model[name] ?? fc.constant('')])),
        ),
      );
  }

  /**
   * Generates a valid object, or the schema's example with some fields replaced. Either may have one or two
   * wrong fields.
   */
  function body(given: Schema): Arbitrary<unknown> {
    const schema = resolve(given);
    const fits = object(schema);
    const example = (schema.example ?? {}) as Record<string, unknown>;
    const like = fits.map(fields => ({ ...example, ...fields }));
    const scoped = fits.map(fields =>
      'county' in ((schema.properties ?? {}) as object) ? { county: '33019', ...fields } : fields,
    );
    const right = fc.oneof(fits, like, scoped);
    const names = Object.keys((schema.properties ?? {}) as object);
    const name =
      names.length === 0 ? oddName : fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...names) }, oddName);
    const wrong = (times: number) =>
      fc
        .tuple(
          right,
          fc.array(fc.tuple(name, fc.option(hostileValue, { freq: 8, nil: undefined })), {
            minLength: 1,
            maxLength: times,
          }),
        )
        .map(([fields, changes]) => Object.fromEntries([...Object.entries(fields), ...changes]));
    return fc.oneof(
      { weight: 4, arbitrary: right },
      { weight: 5, arbitrary: wrong(2) },
      { weight: 1, arbitrary: fc.jsonValue() },
    );
  }

  return { valid, body };
}

function text({ format, pattern, example, minLength = 0, maxLength = 30 }: Schema): Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'date') return fc.constantFrom('2026-11-20', '2024-02-29', '1999-12-31');
  if (format === 'date-time') return fc.constant('2026-11-20T00:00:00Z');
  if (format === 'uri') return fc.webUrl();
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern));
  const [least, most] = [Number(minLength), Math.min(Number(maxLength), 30)];
  const words = fc.string({ unit: 'grapheme', minLength: least, maxLength: Math.max(least, most) });
  return typeof example === 'string' ? fc.oneof(fc.constant(example), words) : words;
}
