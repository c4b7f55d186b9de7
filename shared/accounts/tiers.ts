/**
 * The API tiers that an installation begins with. Their terms are in the table `tiers`, where `plat tier
 * set` changes them.
 */
export const TIERS = ['free', 'starter', 'growth', 'scale'] as const;

/** A tier's name: one of TIERS, or one that the operator has made. */
export type Tier = (typeof TIERS)[number] | (string & {});

/** `api:direct` is REST, `api:mcp` the MCP server; usage is broken down by the same two modes. */
export const SCOPES = ['api:direct', 'api:mcp'] as const;
export type Scope = (typeof SCOPES)[number];

/** What an assistant may be granted in place of `api:mcp`: only tools that change nothing. */
export const READ_SCOPE = 'api:mcp.read';
export type Mode = 'direct' | 'mcp';
