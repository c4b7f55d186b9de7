import { type Client, type Queryable, sql } from '../../shared/db.ts';
import { type FittedModel, MODEL_VERSION, type Parameters } from '../../shared/kernels/valuation/model.ts';
import { lockCounty } from './county-lock.ts';
import { idOf, type StoredComps } from './read-comps.ts';

export type StoredModel = {
  /** 'YYYY-MM-DD' */
  asOf: string;
  /** Tells it from every other. */
  fittedAt: string;
  parameters: Parameters;
};

/** Stands in for a county's FIPS where the model is locked. */
const MODEL = 0;

type Row = { as_of: string; fitted_at: string; parameters: Parameters | null };

/**
 * The model that was fitted last; null when there is none, or it is another version's.
 * @param atHand what is returned when nothing was fitted since: a nation's model is large
 */
export async function readModel(db: Queryable, atHand?: StoredModel): Promise<StoredModel | null> {
  const { rows } = await db.query<Row>(sql('valuation/read_model'), [atHand?.fittedAt ?? null]);
  const row = rows[0];
  if (row === undefined) return null;
  if (row.parameters === null) return atHand!;
  if (row.parameters.version !== MODEL_VERSION) return null;
  return { asOf: row.as_of, fittedAt: row.fitted_at, parameters: row.parameters };
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
