import { z } from 'zod';
import { prepareReports } from '../../../shared/comping/comp-report.ts';
import { countyOf } from '../../../shared/model/property-id.ts';
import type { PlatError } from '../../../shared/platform/errors.ts';
import { enqueueAndNotify } from '../../../shared/platform/queue/jobs.ts';
import { link } from '../../http/endpoint.ts';
import { unprocessable, validationError } from '../../http/error-responses.ts';
import { makeOnce } from '../../http/make-once.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { EXAMPLE_ID } from '../examples/examples.ts';

/** A report takes about 100 KB. */
const MAX_REPORTS = 5_000;

const created = z
  .object({
    report_id: z.uuid().describe('Id of the report.'),
    url: link.describe(
      'URL of the report in the web app. Users of the account can open it after they sign in.',
    ),
  })
  .meta({ id: 'CompReport' });

const EXAMPLE: z.output<typeof created> = {
  report_id: '5f0c2a4e-3b1d-4e8f-9a67-1c2d3e4f5a6b',
  url: 'https://app.example.org/comping/5f0c2a4e-3b1d-4e8f-9a67-1c2d3e4f5a6b',
};

export const createCompReport = defineEndpoint({
  method: 'post',
  path: '/api/public/v1/comp-reports/',
  operationId: 'create_comp_report',
  tag: 'Comp reports',
  summary: 'Create a comp report',
  description:
    'Creates a comp report for a parcel, without comps, and returns its URL. You choose the comps in the web app, which adjusts each to ' +
    `the parcel, as \`ai-comp-value/\` does. Every call creates a new report.\n\nAn account can have up to ${MAX_REPORTS.toLocaleString('en-US')}.`,
  body: z
    .strictObject({
      property_id: z
        .int('must be a property_id, which is a whole number')
        .min(1, 'must be a property_id')
        .meta({ description: 'Id of the parcel.', example: 3301900001047 }),
    })
    .meta({ id: 'NewCompReport', example: { property_id: EXAMPLE_ID } }),
  response: {
    status: 201,
    description: 'The new report, without comps.',
    schema: created,
    location: ({ url }) => String(url),
    example: { summary: 'A new report', value: EXAMPLE },
  },
  errors: {
    unprocessable: `The account already has ${MAX_REPORTS.toLocaleString('en-US')} reports. Delete some in the web app.`,
  },
  handle: async ({ body: { property_id } }, { db }, call) => {
    const { account, user, appUrl } = call;
    const fips = countyOf(property_id);
    const id = await makeOnce(db, call, async tx => {
      const values = {
        account_id: account.id,
        user_id: user?.id ?? null,
        fips,
        property_id,
        limit: MAX_REPORTS,
      };
      const [report] = await tx.run<{ id: string }>('comping/insert_report', values);
      if (report === undefined)
        throw refusal(await tx.run<{ present: boolean }>('search/is_on_roll', { fips, property_id }));
      await enqueueAndNotify(tx, prepareReports, { fips });
      return report.id;
    });
    return { body: { report_id: id, url: `${appUrl}/comping/${id}` }, tokens: 0 };
  },
});

function refusal([parcel]: { present: boolean }[]): PlatError {
  if (!parcel!.present) return validationError({ property_id: ['is not the id of a parcel on the roll'] });
  return unprocessable(
    `The account already has ${MAX_REPORTS.toLocaleString('en-US')} reports. Delete some in the web app.`,
  );
}
