/**
 * API tiers: the tokens that a period includes when an account is created without a figure of its own, and whether keys
 * may call the REST API directly. The figures are this program's own: 5,000 tokens are 500 market statistics.
 */
export const TIERS = {
  free: { tokensIncluded: 500, direct: false },
  starter: { tokensIncluded: 5_000, direct: true },
  growth: { tokensIncluded: 50_000, direct: true },
  scale: { tokensIncluded: 500_000, direct: true },
} as const satisfies Record<string, { tokensIncluded: number; direct: boolean }>;

export type Tier = keyof typeof TIERS;

/** `api:direct` is REST, `api:mcp` the MCP server; usage is broken down by the same two modes. */
export const SCOPES = ['api:direct', 'api:mcp'] as const;
export type Scope = (typeof SCOPES)[number];
export type Mode = 'direct' | 'mcp';
