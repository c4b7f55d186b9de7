import { z } from 'zod';
import { type Address, nameFit, type Subject } from '../kernels/person/match.ts';
import { person } from '../kernels/person/person.ts';
import { lineTypeOf, MAX_PHONES, phoneDigits } from '../model/contact-fields.ts';
import type { Config } from '../platform/config.ts';
import { PlatError } from '../platform/errors.ts';
import { CALL_LIMITS, type CallLimits, openGuardedCall } from '../platform/http/guarded-call.ts';
import { loadProvider } from '../platform/http/provider-file.ts';
import type { ProvidedPhone } from './find-phones.ts';

export type ProviderQuestion = { subject: Subject; address: Address };

export type ProviderAnswer = { first_name: string | null; last_name: string | null; phones: ProvidedPhone[] };

/** An external source of phone numbers, for people who aren't in the loaded contacts. */
export type TraceProvider = {
  name: string;
  /** US cents per match, or null if unknown. */
  centsPerMatch: number | null;
  /** @throws PlatError `provider`, 503, if the provider is unavailable */
  ask(question: ProviderQuestion, signal?: AbortSignal): Promise<ProviderAnswer | null>;
};

/** The provider named in the settings, or null. */
export function openTraceProvider(config: Config): TraceProvider | null {
  const { SKIP_TRACE_PROVIDER: kind, SKIP_TRACE_PROVIDER_CENTS: cents = null } = config;
  if (kind === undefined) return null;
  if (kind === 'http')
    return { ...declared(required(config, 'SKIP_TRACE_PROVIDER_FILE')), centsPerMatch: cents };
  return { ...batchData(config.BATCHDATA_URL, required(config, 'BATCHDATA_API_KEY')), centsPerMatch: cents };
}

function required(config: Config, name: 'SKIP_TRACE_PROVIDER_FILE' | 'BATCHDATA_API_KEY'): string {
  const value = config[name];
  if (value !== undefined) return value;
  throw new PlatError(
    'config',
    `SKIP_TRACE_PROVIDER=${config.SKIP_TRACE_PROVIDER} needs ${name}. See .env.example.`,
  );
}

type ProviderClient = Omit<TraceProvider, 'centsPerMatch'>;

const text = z.string().nullish().catch(null);
const phones = z
  .array(
    z.object({
      number: z.union([z.string(), z.number()]).nullish().catch(null),
      line_type: text,
      dnc: z.union([z.boolean(), z.stringbool()]).nullish().catch(null),
    }),
  )
  .nullish()
  .catch(null);

function phonesOf(provided: z.output<typeof phones>): ProvidedPhone[] {
  return (provided ?? [])
    .flatMap(({ number, line_type, dnc }) => {
      const digits = number == null ? null : phoneDigits(String(number));
      return digits === null
        ? []
        : [{ number: digits, line_type: lineTypeOf(line_type ?? ''), dnc: dnc ?? null }];
    })
    .filter(({ number }, i, all) => all.findIndex(each => each.number === number) === i)
    .slice(0, MAX_PHONES);
}

const NAMES = ['first_name', 'last_name', 'entity_name', 'address', 'city', 'state', 'zip'];
const declaredAnswer = z.object({
  matched: z.boolean().nullish().catch(null),
  first_name: text,
  last_name: text,
  phones,
});

/** SKIP_TRACE_PROVIDER=http: any service that a provider file describes (docs/providers.md). */
function declared(file: string): ProviderClient {
  const provider = loadProvider(file, {
    names: NAMES,
    fields: Object.keys(declaredAnswer.shape),
    maxTimeoutMs: CALL_LIMITS.totalMs,
  });
  return {
    name: provider.name,
    async ask({ subject, address }, signal) {
      const response = await provider.query({ ...nameFields(subject), ...address }, signal);
      if (response === null) return null;
      const { matched, first_name = null, last_name = null, phones } = declaredAnswer.parse(response);
      const answer = { first_name, last_name, phones: phonesOf(phones) };
      return matched === false || !isMeant(subject, answer) ? null : answer;
    },
  };
}

function nameFields(subject: Subject): Record<'first_name' | 'last_name' | 'entity_name', string | null> {
  if ('entity' in subject) return { first_name: null, last_name: null, entity_name: subject.entity };
  const { first, last, suffix } = subject.person;
  return { first_name: first, last_name: [...last, suffix].filter(Boolean).join(' '), entity_name: null };
}

/** Whether the result is the requested person. A provider may return another resident at the address. */
function isMeant(
  subject: Subject,
  { first_name, last_name }: Pick<ProviderAnswer, 'first_name' | 'last_name'>,
): boolean {
  if ('entity' in subject || first_name === null || last_name === null) return true;
  const parsed = person(first_name, last_name);
  return parsed !== null && nameFit(subject.person, parsed) !== null;
}

/**
 * Version 3 of the property skip trace, the latest one documented:
 * https://developer.batchdata.com/docs/batchdata
 */
const BATCHDATA_PATH = '/api/v3/property/skip-trace';

const batchDataAnswer = z.object({
  result: z.object({
    data: z.array(
      z
        .object({
          persons: z
            .array(
              z.object({
                propertyOwner: z.boolean().nullish().catch(null),
                name: z.object({ first: text, last: text }).nullish().catch(null),
                phones: z
                  .array(
                    z.object({
                      number: z.union([z.string(), z.number()]),
                      type: text,
                      dnc: z.boolean().nullish(),
                      rank: z.number().nullish(),
                    }),
                  )
                  .nullish()
                  .catch(null),
              }),
            )
            .nullish(),
        })
        .nullable(),
    ),
  }),
});

/**
 * SKIP_TRACE_PROVIDER=batchdata. It needs a street address. Without one, Plat sends no request, so nothing is
 * charged.
 */
export function batchData(origin: string, key: string, limits: Partial<CallLimits> = {}): ProviderClient {
  const call = openGuardedCall('batchdata', [], limits);
  const url = new URL(BATCHDATA_PATH, origin);
  return {
    name: 'batchdata',
    async ask({ subject, address }, signal) {
      const { address: street, city, state, zip } = address;
      if (street === null) return null;
      const { first_name: first, last_name: last } = nameFields(subject);
      const place = Object.fromEntries(
        Object.entries({ street, city, state, zip }).filter(([, value]) => value !== null),
      );
      const { body } = await call(
        {
          url,
          method: 'POST',
          headers: { authorization: `Bearer ${key}` },
          body: {
            requests: [
              {
                propertyAddress: place,
                mailingAddress: place,
                ...(first !== null && { name: { first, last } }),
              },
            ],
          },
        },
        signal,
      );
      const people = batchDataPeople(body);
      const meant =
        'entity' in subject
          ? people.filter(({ propertyOwner }) => propertyOwner !== false)
          : people.filter(one => one.first_name !== null && isMeant(subject, one));
      const best = meant.find(({ phones }) => phones.length > 0);
      return best === undefined
        ? null
        : { first_name: best.first_name, last_name: best.last_name, phones: best.phones };
    },
  };
}

function batchDataPeople(body: unknown) {
  const answer = batchDataAnswer.safeParse(body);
  if (!answer.success)
    throw new PlatError(
      'provider',
      `The response of batchdata isn't in the format of version 3. ${BATCHDATA_PATH} has changed.`,
      {
        status: 503,
        headers: { 'Retry-After': '300' },
        cause: answer.error.issues.map(({ path, code }) => `${path.join('.')} ${code}`),
      },
    );
  return (answer.data.result.data[0]?.persons ?? []).map(({ name, phones, propertyOwner }) => ({
    first_name: name?.first ?? null,
    last_name: name?.last ?? null,
    propertyOwner,
    phones: phonesOf(
      (phones ?? [])
        .toSorted((a, b) => (a.rank ?? 99) - (b.rank ?? 99))
        .map(({ number, type, dnc }) => ({ number, line_type: type, dnc })),
    ),
  }));
}
