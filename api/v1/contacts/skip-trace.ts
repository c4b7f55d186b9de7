import { z } from 'zod';
import { subjectsOf } from '../../../shared/contacts/person-identity.ts';
import { placeOf } from '../../../shared/kernels/person/match.ts';
import { person } from '../../../shared/kernels/person/person.ts';
import { PRICES } from '../../../shared/model/prices.ts';
import { countyOf } from '../../../shared/model/property-id.ts';
import { STATES as US_STATES } from '../../../shared/regions/states.ts';
import type { KeptAnswer } from '../../http/endpoint.ts';
import { notFound, validationError } from '../../http/error-responses.ts';
import { defineEndpoint, type Resources } from '../common/endpoint-resources.ts';
import { propertyId } from '../common/property-id-parameter.ts';
import { zip } from '../common/request-schemas.ts';
import { type PhoneTrace, phoneTrace, type Trace, withoutSuppressed } from '../common/skip-tracing.ts';
import { SKIP_TRACE_EXAMPLE } from '../examples/examples.ts';

/** Includes military mail (AA, AE, AP). */
const STATES: ReadonlySet<string> = new Set([...US_STATES.map(({ code }) => code), 'AA', 'AE', 'AP']);

const answerOf = ({ trace, people }: Awaited<ReturnType<Trace>>) => ({
  body: trace,
  people,
  tokens: trace.matched ? PRICES.phones.tokens : 0,
});

const common = {
  method: 'post',
  tag: 'Skip trace',
  rate: 'skip_trace',
  response: {
    description: 'The phone numbers, or `matched: false`.',
    schema: phoneTrace,
    example: {
      summary: 'An owner in the sample data, with generated phone numbers',
      value: SKIP_TRACE_EXAMPLE.response,
    },
  },
  recheck: async ({ body, people }: KeptAnswer, { db }: Resources) =>
    (await withoutSuppressed(db, [{ trace: body as PhoneTrace, people }]))[0]!,
} as const;

const LAW =
  'You are responsible for following the law when you call or text these numbers, including the TCPA, the Do Not Call Registry, and state rules. People on the suppression list are never returned.';

const name = (what: string) => z.string().trim().min(1, 'must not be empty').max(100).describe(what);

const traceBody = z
  .strictObject({
    first_name: name('First name.'),
    last_name: name('Last name.'),
    address: z.string().max(200).optional().describe('Street address. Improves the match.'),
    city: z.string().max(100).optional().describe('City. Required with `state` if `zip` is omitted.'),
    state: z
      .string()
      .transform(text => text.trim().toUpperCase())
      .refine(text => STATES.has(text), 'must be a two-letter state code, such as NH')
      .optional()
      .meta({
        description: 'Two-letter state code. Required with `city` if `zip` is omitted.',
        example: 'NH',
      }),
    zip: zip.optional(),
  })
  .superRefine(({ first_name, last_name, city, state, zip }, context) => {
    const complain = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (zip === undefined && !city?.trim() && state === undefined)
      complain('zip', 'is required, or city and state');
    else if (zip === undefined && !city?.trim()) complain('city', 'is required with state if zip is omitted');
    else if (zip === undefined && state === undefined)
      complain('state', 'is required with city if zip is omitted');
    if (person(first_name, 'X') === null) complain('first_name', 'must contain a name');
    if (person('X', last_name) === null) complain('last_name', 'must contain a name');
  })
  .meta({
    id: 'TraceSubject',
    example: {
      first_name: SKIP_TRACE_EXAMPLE.response.first_name,
      last_name: SKIP_TRACE_EXAMPLE.response.last_name,
      address: '649 Linden Drive',
      city: 'Stony Brook',
      state: 'NY',
      zip: '11790',
    },
  });

/** Otherwise, an account with too few tokens would learn from a refused charge that there is a match. */
const needsPrice = () => PRICES.phones.tokens;

export const traceOwner = defineEndpoint({
  ...common,
  path: '/api/public/v1/skip-trace/',
  operationId: 'skip_trace_owner',
  summary: 'Find phone numbers by name and address',
  description: `Looks up a person who is not in the parcel records. For the owner of a parcel, use \`properties/{property_id}/skip-trace/\`. ${LAW}\n\nA match requires the name and either the street, the ZIP code, or the city and state. \`matched_on\` says which. If several people in the ZIP code or city share the name, no match is returned.`,
  body: traceBody,
  metering: {
    key: 'public_skip_trace',
    price: PRICES.phones,
    needs: needsPrice,
    note: 'free when `matched` is false',
  },
  handle: async (
    { body: { first_name, last_name, address = null, city = null, state = null, zip = null } },
    { trace },
    call,
  ) => {
    const subject = { person: person(first_name, last_name)! };
    const question = {
      subjects: [subject],
      address: { address, city, state, zip },
      endpoint: 'public_skip_trace',
    };
    return answerOf(await trace(question, call));
  },
});

type OwnerRow = {
  retired: boolean;
  owner_name: string | null;
  owner_name_2: string | null;
  address: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
};

export const tracePropertyOwner = defineEndpoint({
  ...common,
  path: '/api/public/v1/properties/{property_id}/skip-trace/',
  operationId: 'skip_trace_property_owner',
  summary: "Find phone numbers of a parcel's owner",
  description: `Looks up the owner by the name and mailing address on the roll. ${LAW}\n\nIf the record names two people, Plat looks up the first one first. Companies, trusts, and other entities are matched by entity name. If the record has no owner name, or no mailing ZIP code or city and state, the call returns a \`validation_error\`.`,
  params: z.object({ property_id: propertyId.meta({ example: SKIP_TRACE_EXAMPLE.property_id }) }),
  metering: {
    key: 'public_property_skip_trace',
    price: PRICES.phones,
    needs: needsPrice,
    note: 'free when `matched` is false',
  },
  errors: { not_found: 'No parcel has this id, or the parcel has left the roll. Free.' },
  handle: async ({ params: { property_id } }, { db, trace }, call) => {
    const [row] = await db.run<OwnerRow>('contacts/read_owner', {
      fips: countyOf(property_id),
      property_id,
    });
    if (row === undefined) throw notFound(`No parcel has the id ${property_id}.`);
    if (row.retired) throw notFound(`Parcel ${property_id} has left the roll and no longer has an owner.`);
    const { owner_name, owner_name_2, address, city, state, zip } = row;
    const place = placeOf({ address, city, state, zip });
    const details = {
      ...(owner_name === null && { owner_name: ["is missing from this parcel's record"] }),
      ...(place.zip === null &&
        (place.city === null || place.state === null) && {
          mail_address: ["has neither a ZIP code nor a city and state in this parcel's record"],
        }),
    };
    if (owner_name === null || Object.keys(details).length > 0) throw validationError(details);
    const subjects = [owner_name, owner_name_2 ?? ''].flatMap(subjectsOf);
    const question = {
      subjects,
      address: { address, city, state, zip },
      endpoint: 'public_property_skip_trace',
    };
    return answerOf(await trace(question, call));
  },
});
