import type { AddCountyResult, CountyKind } from '../../../shared/feeds/county-feeds.ts';

export const KINDS: Record<CountyKind, string> = {
  assessor: 'Parcels',
  listings: 'Sales',
  roads: 'Roads',
  wetlands: 'Wetlands',
  flood: 'Flood zones',
  elevation: 'Elevation',
  water: 'Water',
  places: 'Place names',
  soils: 'Soils',
  protected_land: 'Protected land',
  opportunity_zones: 'Opportunity zones',
  transmission_lines: 'Transmission lines',
  railroads: 'Railroads',
  urban_areas: 'Urban areas',
};

type Offered = AddCountyResult['added'][number];
type Outcome = Pick<AddCountyResult, 'added' | 'feedsDir' | 'notWritable'>;

const isMissing = ({ status }: Offered): boolean =>
  status === 'failed' || status === 'off' || status === 'unknown';

/**
 * One sentence on why some of a county's data was not added. Null if all of it was added. `files` means that
 * the operator can add files instead.
 * @param loaded the kinds of data that another feed has loaded
 */
export function problemOf(
  { added, feedsDir, notWritable }: Outcome,
  loaded: readonly string[] = [],
): { text: string; files: boolean } | null {
  const missing = added.filter(each => isMissing(each) && !loaded.includes(each.kind));
  const [first] = missing;
  if (first === undefined) return null;
  if (isOffline(added))
    return { text: "This server can't reach the internet. Add files instead.", files: true };
  if (notWritable)
    return {
      text: `Plat can't write to ${feedsDir} (${notWritable}). Grant Plat write access to the folder, then try again.`,
      files: false,
    };
  if (missing.every(({ status }) => status === 'unknown'))
    return {
      text: "Plat doesn't know who publishes this county's parcels. Add a file instead.",
      files: true,
    };
  const names = missing.map(({ kind }) => KINDS[kind]).join(', ');
  const why =
    first.unreachable && first.address
      ? `${hostOf(first.address)} can't be reached.`
      : firstSentence(first.message);
  return { text: `${names}: ${why}`, files: false };
}

/** The first sentence of a message. The county's page has the rest, including the fix. */
export const firstSentence = (message: string): string => message.replace(/\.\s+[A-Z][\s\S]*$/, '.');

/** Whether there were several servers and none of them could be reached. */
function isOffline(added: readonly Offered[]): boolean {
  const tried = added.filter(({ status }) => status === 'written' || status === 'failed');
  const hosts = new Set(tried.flatMap(({ address }) => (address ? [hostOf(address)] : [])));
  return hosts.size > 1 && tried.every(({ unreachable }) => unreachable === true);
}

const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : address);
