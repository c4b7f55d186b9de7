import { expect } from 'vitest';
import type { TestApi } from './api.ts';
import type { commandsOn } from './plat.ts';

export const STATS = '/api/public/v1/markets-stats/33019/stats/';

/** Creates accounts with the given name and terms. They have used 20 tokens in their period. */
export function spender(api: TestApi, json: ReturnType<typeof commandsOn>['json']) {
  return async (name: string, ...terms: string[]): Promise<string> => {
    await json('account', 'create', name, ...terms);
    const { key } = await json('key', 'create', name);
    for (let call = 0; call < 2; call++) expect((await api.call(STATS, { key })).status).toBe(200);
    return name;
  };
}
