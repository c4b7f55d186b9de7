/**
 * What an error means for a retry:
 * - `conflict`: another transaction got in the way, and this one was rolled back
 * - `slow`: the statement waited or ran too long, and was rolled back
 * - `away`: the database is unavailable, so a call ends with 503
 * - `passing`: temporary, so a job may succeed when retried
 * - `full`: a disk is full
 * - `taken`: the server has no free connection
 */
type Meaning = 'conflict' | 'slow' | 'away' | 'passing' | 'full' | 'taken';

/** SQLSTATEs by name: https://www.postgresql.org/docs/current/errcodes-appendix.html */
export const SQLSTATE = {
  connectionFailure: '08006',
  foreignKeyViolation: '23503',
  uniqueViolation: '23505',
  checkViolation: '23514',
  readOnly: '25006',
  idleInTransactionTimeout: '25P03',
  invalidAuthorization: '28000',
  invalidPassword: '28P01',
  noDatabase: '3D000',
  serializationFailure: '40001',
  deadlock: '40P01',
  insufficientPrivilege: '42501',
  diskFull: '53100',
  tooManyConnections: '53300',
  configurationLimit: '53400',
  lockNotAvailable: '55P03',
  canceled: '57014',
  adminShutdown: '57P01',
  crashShutdown: '57P02',
  cannotConnectNow: '57P03',
  idleSessionTimeout: '57P05',
} as const;

/**
 * What error codes mean to Plat. A SQLSTATE class (two characters) applies to all of its codes that aren't
 * listed.
 */
const MEANINGS: Readonly<Record<string, readonly Meaning[]>> = {
  // Connection exceptions.
  '08': ['away'],
  '08000': ['away', 'passing'],
  '08001': ['away', 'passing'],
  '08003': ['away', 'passing'],
  [SQLSTATE.connectionFailure]: ['away', 'passing'],
  // A failover has just demoted this server.
  [SQLSTATE.readOnly]: ['away', 'passing'],
  // The process was suspended or didn't get any CPU time.
  [SQLSTATE.idleInTransactionTimeout]: ['passing'],
  // The password may be in the middle of a change.
  '28': ['away'],
  // The database may not be created yet.
  [SQLSTATE.noDatabase]: ['away'],
  [SQLSTATE.serializationFailure]: ['conflict', 'away', 'passing'],
  [SQLSTATE.deadlock]: ['conflict', 'slow', 'away', 'passing'],
  // Insufficient resources: connections, memory, disk.
  '53': ['away'],
  [SQLSTATE.diskFull]: ['away', 'full'],
  [SQLSTATE.tooManyConnections]: ['away', 'passing', 'taken'],
  [SQLSTATE.configurationLimit]: ['away', 'taken'],
  [SQLSTATE.lockNotAvailable]: ['slow', 'away', 'passing'],
  // This includes statements that ran longer than STATEMENT_TIMEOUT_MS.
  [SQLSTATE.canceled]: ['slow', 'away'],
  [SQLSTATE.adminShutdown]: ['away', 'passing'],
  [SQLSTATE.crashShutdown]: ['away', 'passing'],
  // The server is starting up, or is a standby that isn't consistent yet.
  [SQLSTATE.cannotConnectNow]: ['away', 'passing'],
  [SQLSTATE.idleSessionTimeout]: ['passing'],
  // System codes: a failed connection, or a network that is still starting.
  EAI_AGAIN: ['away', 'passing'],
  ENOTFOUND: ['away', 'passing'],
  EHOSTUNREACH: ['away', 'passing'],
  ENETUNREACH: ['away', 'passing'],
  ECONNREFUSED: ['away', 'passing'],
  ECONNRESET: ['away', 'passing'],
  EPIPE: ['away', 'passing'],
  ETIMEDOUT: ['away', 'passing'],
  ENOSPC: ['full'],
  EDQUOT: ['full'],
};

/** Whether a SQLSTATE or system error code has this meaning. */
export const means = (code: string | undefined, meaning: Meaning): boolean =>
  code !== undefined && (MEANINGS[code] ?? MEANINGS[code.slice(0, 2)] ?? []).includes(meaning);
