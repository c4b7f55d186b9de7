import type { AddedRows } from '../../api/v1/lists/add-list-rows.ts';
import type { ListRow, ParcelList } from '../../api/v1/lists/list-schema.ts';
import type { TestApi } from './api.ts';

export const LISTS = '/api/public/v1/lists/';

type Body = Record<string, unknown>;

/** Makes calls to the lists of a key's company. */
export function listsOf(api: TestApi, key: string) {
  const send = (method: string, path: string, body?: Body) =>
    api.call(LISTS + path, {
      key,
      method,
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
  return {
    send,
    make: async (body: Body = {}) => (await send('POST', '', { name: 'a list', ...body })).json as ParcelList,
    add: async (id: string, body: Body, query = '') =>
      (await send('POST', `${id}/rows/${query}`, body)).json as AddedRows,
    async rows(id: string, query = '') {
      const { json, headers } = await send('GET', `${id}/rows/${query}`);
      const { results, count } = json as { results: ListRow[]; count: number };
      return { results, count, tokens: Number(headers.get('x-tokens-used')) };
    },
  };
}
