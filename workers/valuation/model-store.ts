import { type Client, sql } from '../../shared/db.ts';
import { PlatError } from '../../shared/errors.ts';
import { type FittedModel, MODEL_VERSION, type Parameters } from '../../shared/kernels/valuation/model.ts';
import { LOCKS } from '../../shared/locks.ts';
import { idOf, type StoredComps } from './comps.ts';

export type StoredModel = {
  /** 'YYYY-MM-DD' */
  asOf: string;
  parameters: Parameters;
};

/** Holds those back who would write the county's valuations, until the transaction ends. */
export async function lockCounty(client: Client, fips: number): Promise<void> {
  await client.query(sql('valuation/lock_county'), [LOCKS.countyValuations, fips]);
}

/** For the transaction that fits the model: one at a time. */
export const lockModel = (client: Client) => lockCounty(client, 0);

/**
 * The model that was fitted last; a newer one is held back until the transaction ends, so that what it writes is by one model.
 * @throws PlatError `no_model` when none was fitted by this version of the program
 */
export async function readModel(client: Client): Promise<StoredModel> {
  await client.query(sql('valuation/hold_model'));
  const { rows } = await client.query<{ as_of: string; parameters: Parameters }>(sql('valuation/read_model'));
  if (rows[0]?.parameters.version !== MODEL_VERSION)
    throw new PlatError(
      'no_model',
      'No valuation model was fitted yet: run `plat recompute valuations --all`.',
    );
  return { asOf: rows[0].as_of, parameters: rows[0].parameters };
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
