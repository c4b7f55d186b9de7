// Runs the official MCP conformance suite against the service: npm run check:mcp
import { startVitest } from 'vitest/node';

process.env.MCP_CONFORMANCE = '1';
const vitest = await startVitest('test', ['test/e2e/mcp/conformance'], { run: true, project: ['slow'] });
await vitest.close();
