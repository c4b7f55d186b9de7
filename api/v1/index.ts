import type { Endpoint } from '../http/endpoint.ts';
import { countyStats, zipStats } from './market-stats.ts';

/** Every endpoint of v1, in the order of the documentation. */
export const endpoints: readonly Endpoint[] = [countyStats, zipStats];
