import type { FilterBody } from '../../../../shared/parcels/filter/declare-filter.ts';
import type { Asking } from '../../../../shared/parcels/filter/select-parcels.ts';
import type { Database } from '../../../http/database.ts';
import type { CallContext } from '../../../http/endpoint.ts';
import { companyOf } from '../../common/company.ts';

/** For whom a filter is read: the company is looked up where a list of it is asked for. */
export const askedBy = async (
  { run }: Pick<Database, 'run'>,
  caller: Pick<CallContext, 'account'>,
  body: FilterBody,
  asOf: Date,
): Promise<Asking> =>
  body.list_id === undefined ? { asOf } : { asOf, companyId: await companyOf(run, caller.account.id) };
