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

/** Mail goes to those of the forces abroad, too. */
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
    description: 'The telephone numbers, or `matched: false`.',
    schema: phoneTrace,
    example: {
      summary: 'An owner of the sample, whose numbers are generated',
      value: SKIP_TRACE_EXAMPLE.response,
    },
  },
  recheck: ({ body, people }: KeptAnswer, { db }: Resources) =>
    withoutSuppressed(db, body as PhoneTrace, people),
} as const;

const LAW =
  'Whoever calls these numbers keeps to the law: consent for automated calls and texts (TCPA), the Do Not Call registry, state rules. People on the suppression list are never returned.';

const name = (what: string) => z.string().trim().min(1, 'must not be empty').max(100).describe(what);

const traceBody = z
  .strictObject({
    first_name: name('Given name.'),
    last_name: name('Surname.'),
    address: z.string().max(200).optional().describe('Street address; improves the match.'),
    city: z.string().max(100).optional().describe('City; with `state` where `zip` is left out.'),
    state: z
      .string()
      .transform(text => text.trim().toUpperCase())
      .refine(text => STATES.has(text), 'must be the two letters of a state, such as NH')
      .optional()
      .meta({ description: 'Two-letter state; with `city` where `zip` is left out.', example: 'NH' }),
    zip: zip.optional(),
  })
  .superRefine(({ first_name, last_name, city, state, zip }, context) => {
    const complain = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (zip === undefined && !city?.trim() && state === undefined)
      complain('zip', 'is required, or city with state');
    else if (zip === undefined && !city?.trim())
      complain('city', 'is required with state where zip is left out');
    else if (zip === undefined && state === undefined)
      complain('state', 'is required with city where zip is left out');
    if (person(first_name, 'X') === null) complain('first_name', 'must hold a name');
    if (person('X', last_name) === null) complain('last_name', 'must hold a name');
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

export const traceOwner = defineEndpoint({
  ...common,
  path: '/api/public/v1/skip-trace/',
  operationId: 'skip_trace_owner',
  summary: 'Find phone numbers by name and address',
  description: `For persons from outside the parcel records; the owner of a parcel is better asked for by \`properties/{property_id}/skip-trace/\`. A match needs the name and the street, the ZIP, or the city and state: \`matched_on\` says which. Of several people of one name in a ZIP or city none is returned. ${LAW}`,
  body: traceBody,
  metering: {
    key: 'public_skip_trace',
    price: PRICES.phones,
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
  description: `By the owner's name and mailing address on the roll: persons, of two in one name the first first, and companies, trusts and other entities by their own name. A record without an owner's name, or without a ZIP or a city and state to its mailing address, is a \`validation_error\`. ${LAW}`,
  params: z.object({ property_id: propertyId.meta({ example: SKIP_TRACE_EXAMPLE.property_id }) }),
  metering: {
    key: 'public_property_skip_trace',
    price: PRICES.phones,
    note: 'free when `matched` is false',
  },
  errors: { not_found: 'No parcel has this id, or it has left the roll. Costs nothing.' },
  handle: async ({ params: { property_id } }, { db, trace }, call) => {
    const [row] = await db.run<OwnerRow>('contacts/read_owner', {
      fips: countyOf(property_id),
      property_id,
    });
    if (row === undefined) throw notFound(`There is no parcel ${property_id}.`);
    if (row.retired) throw notFound(`Parcel ${property_id} has left the roll: it has no owner any more.`);
    const { owner_name, owner_name_2, address, city, state, zip } = row;
    const place = placeOf({ address, city, state, zip });
    const details = {
      ...(owner_name === null && { owner_name: ['is missing from the record of this parcel'] }),
      ...(place.zip === null &&
        (place.city === null || place.state === null) && {
          mail_address: [
            "the record of this parcel has neither a ZIP nor a city with its state for the owner's mail",
          ],
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
