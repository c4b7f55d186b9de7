import { data } from './data.ts';
import type { Fault } from './fault.ts';
import { isolation } from './isolation.ts';
import { kernels } from './kernels.ts';
import { money } from './money.ts';
import { people } from './people.ts';

/** Mistakes that the test suite once missed, and others like them. Each `from` occurs once in its file. */
export const faults: readonly Fault[] = [...isolation, ...people, ...money, ...data, ...kernels];
