import { randomBytes, randomUUID } from 'node:crypto';
import { createKey } from '../../shared/accounts/accounts.ts';
import { invite } from '../../shared/accounts/invitations.ts';
import { createUser } from '../../shared/accounts/users.ts';
import { posting, type TestApi } from './api.ts';
import type { TestDatabase } from './database.ts';
import { exportFile } from './exports.ts';
import { newUser } from './visitor.ts';
import { webhooksOf } from './webhooks.ts';

const V1 = '/api/public/v1/';
const PARCEL = 3301900001047;

/** Ids and names of what a company owns, by kind, for use in requests. */
export type Things = {
  list: string;
  search: string;
  webhook: string;
  message: string;
  export: string;
  report: string;
  deal: string;
  market: string;
  email: string;
  person: string;
  invitation: string;
  /** Another browser in which the user is signed in. */
  session: string;
  /** An assistant that the account has authorized, identified by the hash of its id. */
  grant: string;
};

export type Company = {
  user: Awaited<ReturnType<typeof newUser>>;
  key: string;
  keyId: string;
  /** Appears in every name, note, and address that the company entered. */
  marker: string;
  things: Things;
};

let companies = 0;

/** A company with a user, a key, and one of everything that a company can create. */
export async function createCompany(db: TestDatabase, api: TestApi): Promise<Company> {
  const marker = `marker${++companies}x${Math.random().toString(36).slice(2, 8)}`;
  const user = await newUser(db, { email: `${marker}@acme.example`, company: marker });
  const made = await createKey(db.pool, user.accountId, {
    name: marker,
    scopes: ['api:direct', 'api:mcp'],
  });
  await db.pool.query('update accounts set rate_per_minute = 60000, rate_burst = 60000 where id = $1', [
    user.accountId,
  ]);
  const company = { user, key: made.key, keyId: made.id, marker };
  return { ...company, things: await createThings(db, api, company) };
}

/** Creates one of everything. A company can have several of each. */
export async function createThings(
  db: TestDatabase,
  api: TestApi,
  { key, marker, user }: Omit<Company, 'things'>,
): Promise<Things> {
  const create = async (path: string, body: object): Promise<Record<string, string>> => {
    const reply = await api.call(V1 + path, posting(key, JSON.stringify(body)));
    if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.text}`);
    return reply.json as Record<string, string>;
  };
  const list = (await create('lists/', { name: `list of ${marker}` })).id!;
  await create(`lists/${list}/rows/`, { property_ids: [PARCEL] });
  await api.call(`${V1}lists/${list}/rows/`, {
    ...posting(key, JSON.stringify({ property_ids: [PARCEL], note: `note of ${marker}`, status: 'mailed' })),
    method: 'PATCH',
  });
  const webhook = await webhooksOf(api, key).add(`https://example.com/${marker}`);
  const { message_id } = await create(`webhooks/${webhook.id}/test/`, {});
  const search = await create('searches/', {
    name: `search of ${marker}`,
    filter: { counties: ['33019'], acres_min: 5 },
    emails: [user.email],
    webhook_id: webhook.id,
  });
  const { rows: regions } = await db.pool.query<{ id: string }>(
    "select id from regions where code = '33019'",
  );
  const deal = await create('deal-flow/listings/', { property_id: PARCEL, purchase_price: 4_242 });
  return {
    list,
    search: search.id!,
    webhook: webhook.id,
    message: message_id!,
    export: (await exportFile(db, api, key, { list_id: list, format: 'csv' })).id,
    report: (await create('comp-reports/', { property_id: PARCEL })).report_id!,
    deal: deal.id!,
    market: (await create('markets/', { region_id: regions[0]!.id, status: marker })).id!,
    email: user.email,
    ...(await createColleagues(db, user)),
    ...(await createAccess(db, user)),
  };
}

async function createAccess(db: TestDatabase, user: Company['user']) {
  const { rows: sessions } = await db.pool.query<{ id: string }>(
    'insert into sessions (token_hash, user_id) values ($1, $2) returning id',
    [randomBytes(32), user.id],
  );
  const grant = randomBytes(32);
  await db.pool.query(
    `insert into oauth_records (model, id_hash, payload, account_id, expires_at)
     values ('Grant', $1, '{"clientId": "https://assistant.example", "resources": {}}', $2, now() + interval '1 day')`,
    [grant, user.accountId],
  );
  return { session: sessions[0]!.id, grant: grant.toString('hex') };
}

/** Creates a colleague, and an invitation for another. */
async function createColleagues(db: TestDatabase, user: Company['user']) {
  const { rows } = await db.pool.query<{ company_id: string }>('select company_id from users where id = $1', [
    user.id,
  ]);
  const to = { companyId: rows[0]!.company_id, actor: user.email };
  const newAddress = () => `${randomUUID()}@people.example`;
  const email = newAddress();
  const person = (await createUser(db.pool, { ...to, email: newAddress() }))!;
  await invite(db.pool, { ...to, email });
  const { rows: invitations } = await db.pool.query<{ id: string }>(
    'select id from invitations where email = $1',
    [email],
  );
  return { person: person.id, invitation: invitations[0]!.id };
}

/** Every row that names the company or something it owns, by table. */
export async function rowsOf(db: TestDatabase, company: Company): Promise<Record<string, string[]>> {
  const { user, keyId, things } = company;
  const { rows: account } = await db.pool.query<{ company_id: string }>(
    'select company_id from accounts where id = $1',
    [user.accountId],
  );
  // Excludes the grant, whose row names the account.
  const { email, grant, ...ids } = things;
  const owned = [account[0]!.company_id, user.accountId, user.id, keyId, ...Object.values(ids)];
  const { rows: columns } = await db.pool.query<{ table: string; columns: string[] }>(`
    select table_name as table, array_agg(column_name::text) as columns
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and data_type = 'uuid'
    group by table_name order by table_name`);
  const found: Record<string, string[]> = {};
  for (const { table, columns: names } of columns) {
    const { rows } = await db.pool.query<{ row: string }>(
      `select to_jsonb(t)::text as row from ${table} t where ${names.map(name => `${name} = any($1)`).join(' or ')} order by 1`,
      [owned],
    );
    found[table] = rows.map(({ row }) => row);
  }
  return found;
}
