import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Portfolio } from '../../api/v1/parcels/owner-portfolio.ts';
import { newCaller, posting, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { testFolder } from '../support/folder.ts';
import { all, ingestRoll } from '../support/ingest.ts';
import { runs } from '../support/runs.ts';

const db = await createTestDatabase();
const api = await startTestApi(db);
const { key } = await newCaller(db);
const folder = testFolder();

type Mail = { STREET: string | null; CITY: string | null; STATE: string | null; ZIP: string | null };

/** Spelled as they are compared, so that the definition below needs no rule of spelling. */
const mail: fc.Arbitrary<Mail> = fc.record({
  STREET: fc.constantFrom('1 OAK ST', '1 OAK ST', '1 OAK ST', '1 OAK ST', '2 ELM AVE', null),
  CITY: fc.constantFrom('AYER', 'AYER', 'AYER', 'BATH', null),
  STATE: fc.constantFrom('NH', 'NH', 'NH', 'NH', 'NH', 'ME', null),
  ZIP: fc.constantFrom('03280', '03280', '03281', null, '00000'),
});

const COLUMNS = { mail_address: 'STREET', mail_city: 'CITY', mail_state: 'STATE', mail_zip: 'ZIP' };
const FIPS = ['33019', '33005', '23009'];

const rolls = fc.array(fc.tuple(fc.constantFrom(...FIPS), fc.array(mail, { minLength: 1, maxLength: 6 })), {
  minLength: 2,
  maxLength: 6,
});

/** The owner of a parcel among all others, word for word as it is defined. */
function ownerOf(parcel: Mail, parcels: readonly Mail[]): string | null {
  const zipOf = ({ ZIP }: Mail) => (ZIP === '00000' ? null : ZIP);
  const { STREET, CITY, STATE } = parcel;
  if (STREET === null) return null;
  if (zipOf(parcel) !== null) return `${STREET}, ${zipOf(parcel)}`;
  if (CITY === null || STATE === null) return null;
  const here = parcels.filter(
    other => other.STREET === STREET && other.CITY === CITY && other.STATE === STATE,
  );
  const zips = new Set(here.map(zipOf).filter(zip => zip !== null));
  return zips.size === 1 ? `${STREET}, ${[...zips][0]}` : `${STREET}, ${CITY}, ${STATE}`;
}

async function portfolioOf(id: number): Promise<number[] | null> {
  const { status, json } = await api.call(`/api/public/v1/properties/${id}/owner-portfolio/`, { key });
  const body = JSON.stringify({ owner_parcel_id: id });
  const filtered = await api.call('/api/public/v1/properties/filter/', posting(key, body));
  expect(filtered.status).toBe(status);
  if (status !== 200) return null;
  const idsOf = ({ results }: Pick<Portfolio, 'results'>) => results.map(({ property_id }) => property_id);
  expect(idsOf(filtered.json as Portfolio)).toEqual(idsOf(json as Portfolio));
  return idsOf(json as Portfolio);
}

test('a portfolio and its filter follow the definition, in whatever order rolls come and go', async () => {
  await db.pool.query('update accounts set rate_per_minute = 1000000, rate_burst = 1000000');
  let first = 1;
  await fc.assert(
    fc.asyncProperty(rolls, async steps => {
      // Of a roll that comes again the parcels that it no longer has are retired.
      for (const [fips, mails] of [...FIPS.map(code => [code, []] as const), ...steps]) {
        const features = mails.map((properties, at) => ({
          properties: { PIN: `${at}`, ...properties },
          geometry: null,
        }));
        const nobody = { STREET: null, CITY: null, STATE: null, ZIP: null };
        const rest = { properties: { PIN: `stays ${first++}`, ...nobody }, geometry: null };
        await ingestRoll(db.pool, folder, `roll-${fips}`, [...features, rest], {
          columns: COLUMNS,
          fips,
          force: true,
        });
      }
      const rows = await all(
        db.pool,
        `select property_id as id, mail_address as "STREET", mail_city as "CITY", mail_state as "STATE", mail_zip as "ZIP"
         from parcels where retired_at is null order by property_id`,
      );
      const parcels = rows as (Mail & { id: number })[];
      for (const parcel of parcels) {
        const owner = ownerOf(parcel, parcels);
        const wanted = parcels.filter(other => owner !== null && ownerOf(other, parcels) === owner);
        expect(await portfolioOf(parcel.id)).toEqual(owner === null ? null : wanted.map(({ id }) => id));
      }
    }),
    { numRuns: runs(4) },
  );
});
