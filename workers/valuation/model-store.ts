import { type Client, type Queryable, sql } from '../../shared/db.ts';
import { type FittedModel, MODEL_VERSION, type Parameters } from '../../shared/kernels/valuation/model.ts';
import { lockCounty } from './county-lock.ts';
import { idOf, type StoredComps } from './read-comps.ts';

export type StoredModel = {
  /** 'YYYY-MM-DD' */
  asOf: string;
  parameters: Parameters;
};

/** Stands in for a county's FIPS where the model is locked. */
const MODEL = 0;

type Row = { as_of: string; parameters: Parameters };

/** The model that was fitted last; null when there is none, or it is another version's. */
export async function readModel(db: Queryable): Promise<StoredModel | null> {
  const { rows } = await db.query<Row>(sql('valuation/read_model'));
  const row = rows[0];
  if (row === undefined || row.parameters.version !== MODEL_VERSION) return null;
  return { asOf: row.as_of, parameters: row.parameters };
}

/** For the transaction that fits the model, or says which later sales are outliers of it: one at a time. */
export async function lockModel(client: Client): Promise<void> {
  await lockCounty(client, MODEL);
}

export async function storeModel(
  client: Client,
  asOf: string,
  { parameters, outliers }: FittedModel,
  comps: StoredComps,
): Promise<void> {
  await client.query(sql('valuation/store_model'), [asOf, JSON.stringify(parameters)]);
  await client.query(sql('valuation/clear_outliers'));
  await client.query(sql('valuation/store_outliers'), [Array.from(outliers, index => idOf(comps, index))]);
}

/** Holds a newer model back until the transaction ends, so that what it writes is by the model that it read. */
export async function holdModel(client: Client): Promise<void> {
  await client.query(sql('valuation/hold_model'));
}
