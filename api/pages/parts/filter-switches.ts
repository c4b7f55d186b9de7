import type { IconName } from '../frame/icons.tsx';

export type FilterSwitch = {
  /** The filter that the switch sets, and its value. */
  name: string;
  value: string;
  label: string;
  /** The exact rule, if the label simplifies it. */
  hint?: string;
  icon: IconName;
};

/** The percentage of a parcel that may be wetlands if it is still to count as dry. */
const MOSTLY_DRY = '10';

/** The most common filters. */
export const SWITCHES: readonly FilterSwitch[] = [
  { name: 'vacant_only', value: 'true', label: 'Vacant', icon: 'trees' },
  { name: 'out_of_state_owner', value: 'true', label: 'Out-of-state owner', icon: 'plane' },
  { name: 'exclude_landlocked', value: 'true', label: 'Road access', icon: 'route' },
  { name: 'exclude_corp_owner', value: 'true', label: 'Individuals only', icon: 'building' },
  {
    name: 'wetlands_percent_max',
    value: MOSTLY_DRY,
    label: 'No wetlands',
    hint: `Wetlands cover up to ${MOSTLY_DRY}% of the parcel.`,
    icon: 'droplets',
  },
  { name: 'flood_zone_percent_max', value: '0', label: 'Outside flood zone', icon: 'waves' },
  {
    name: 'exclude_steep',
    value: 'true',
    label: 'Not steep',
    hint: 'Excludes parcels steeper than 20% on more than 60% of their area.',
    icon: 'mountain',
  },
  { name: 'tax_delinquent', value: 'true', label: 'Tax delinquent', icon: 'gavel' },
];

export const switchOf = (name: string, value: string | null): FilterSwitch | undefined =>
  SWITCHES.find(each => each.name === name && each.value === value);
