import { data } from './data.ts';
import type { Fault } from './fault.ts';
import { isolation } from './isolation.ts';
import { kernels } from './kernels.ts';
import { money } from './money.ts';
import { people } from './people.ts';

/** Faults that the suite once missed, and others of the same kinds. Each `from` occurs once in its file. */
export const faults: readonly Fault[] = [...isolation, ...people, ...money, ...data, ...kernels];
