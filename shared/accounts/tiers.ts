/**
 * The API tiers of a new installation. `plat tier set` changes their terms, which are stored in table
 * `tiers`.
 */
export const TIERS = ['free', 'starter', 'growth', 'scale'] as const;

/** A tier's name: one of TIERS, or one that the operator created. */
export type Tier = (typeof TIERS)[number] | (string & {});

/**
 * `api:direct` is the REST API, and `api:mcp` is the MCP server. Usage is broken down by the same two modes.
 */
export const SCOPES = ['api:direct', 'api:mcp'] as const;

/** For keys in the URLs of map tiles. Anyone can read them there, so they have no other scope. */
export const MAP_SCOPE = 'map:read';
export type Scope = (typeof SCOPES)[number] | typeof MAP_SCOPE;

/** A narrower grant than `api:mcp`, for assistants that get only the read-only tools. */
export const READ_SCOPE = 'api:mcp.read';
export type Mode = 'direct' | 'mcp';
