// Sends generated requests to the service and reports faults in its responses.
//   npm run fuzz                  20,000 requests with seed 1
//   npm run fuzz -- 5000 7        5,000 with seed 7
import { startVitest } from 'vitest/node';

const [requests = '20000', seed = '1'] = process.argv.slice(2);
Object.assign(process.env, { FUZZ_REQUESTS: requests, FUZZ_SEED: seed });
const vitest = await startVitest('test', ['test/fuzz/'], { run: true });
await vitest.close();
