import { readExportVersions } from '../../../shared/exports/export-statements.ts';
import type { Page } from '../frame/pages.tsx';
import { requireAccount, type Visit } from '../frame/visit.ts';
import { watchVersions } from '../frame/watch-versions.ts';

const watchExports = watchVersions(readExportVersions);

/** Changes whenever one of the company's exports makes progress. */
export async function versionOf({ deps }: Visit, company: string): Promise<string> {
  return (await readExportVersions(deps.db, [company]))[0]!.version;
}

/** Sends the version of the company's exports as server-sent events: one right away, then one per change. */
export const exportEventsPage: Page = {
  path: '/exports/events',
  access: 'app',
  async get(visit) {
    const { companyId } = await requireAccount(visit);
    const watch = watchExports(visit.deps.db);
    return { stream: watch(companyId, visit.session!.id, await versionOf(visit, companyId)) };
  },
};
