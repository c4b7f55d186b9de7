import type { IconName } from '../frame/icons.tsx';

export type FilterSwitch = {
  /** The filter that it sets, and the text that it sets it to. */
  name: string;
  value: string;
  label: string;
  icon: IconName;
};

/** What a parcel may hold of wetlands, in percent, and still not be wet. */
const MOSTLY_DRY = '10';

/** What is asked most. */
export const SWITCHES: readonly FilterSwitch[] = [
  { name: 'vacant_only', value: 'true', label: 'Vacant', icon: 'trees' },
  { name: 'out_of_state_owner', value: 'true', label: 'Out-of-state owner', icon: 'plane' },
  { name: 'exclude_landlocked', value: 'true', label: 'Road access', icon: 'route' },
  { name: 'exclude_corp_owner', value: 'true', label: 'No company', icon: 'building' },
  { name: 'wetlands_percent_max', value: MOSTLY_DRY, label: 'Not wet', icon: 'droplets' },
  { name: 'flood_zone_percent_max', value: '0', label: 'No flood zone', icon: 'waves' },
  { name: 'exclude_steep', value: 'true', label: 'Not steep', icon: 'mountain' },
  { name: 'tax_delinquent', value: 'true', label: 'Tax delinquent', icon: 'gavel' },
];

export const switchOf = (name: string, value: string | null): FilterSwitch | undefined =>
  SWITCHES.find(each => each.name === name && each.value === value);
