import type { Coverage } from '../../v1/feeds/get-coverage.ts';
import type { IconName } from '../frame/icons.tsx';

export type FilterSwitch = {
  /** The filter that it sets, and the text that it sets it to. */
  name: string;
  value: string;
  label: string;
  icon: IconName;
  /** Whether a county has what the filter reads. */
  isKnown(county: Coverage): boolean;
};

const hasLayer = (kind: string) => (county: Coverage) => county.sources.some(source => source.kind === kind);
const hasOwners = (county: Coverage) => county.with_owner > 0;

/** What a parcel may hold of wetlands, in percent, and still not be wet. */
const MOSTLY_DRY = '10';

/** What is asked most. */
export const SWITCHES: readonly FilterSwitch[] = [
  { name: 'vacant_only', value: 'true', label: 'Vacant', icon: 'trees', isKnown: () => true },
  {
    name: 'out_of_state_owner',
    value: 'true',
    label: 'Out-of-state owner',
    icon: 'plane',
    isKnown: hasOwners,
  },
  {
    name: 'exclude_landlocked',
    value: 'true',
    label: 'Road access',
    icon: 'route',
    isKnown: hasLayer('roads'),
  },
  { name: 'exclude_corp_owner', value: 'true', label: 'No company', icon: 'building', isKnown: hasOwners },
  {
    name: 'wetlands_percent_max',
    value: MOSTLY_DRY,
    label: 'Not wet',
    icon: 'droplets',
    isKnown: hasLayer('wetlands'),
  },
  {
    name: 'flood_zone_percent_max',
    value: '0',
    label: 'No flood zone',
    icon: 'waves',
    isKnown: hasLayer('flood'),
  },
  {
    name: 'exclude_steep',
    value: 'true',
    label: 'Not steep',
    icon: 'mountain',
    isKnown: hasLayer('elevation'),
  },
  { name: 'tax_delinquent', value: 'true', label: 'Tax delinquent', icon: 'gavel', isKnown: () => true },
];

export const switchOf = (name: string, value: string | null): FilterSwitch | undefined =>
  SWITCHES.find(each => each.name === name && each.value === value);
