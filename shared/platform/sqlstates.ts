/**
 * What an error says about trying again:
 * - `conflict`: another transaction was in the way, and nothing of this one stays
 * - `slow`: the statement waited or ran too long, and nothing of it stays
 * - `away`: the database can't do it now, so a call ends with 503
 * - `passing`: a job that tries again may succeed
 * - `full`: a disk is full
 * - `taken`: the server has no connection left
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

/** What codes mean to Plat; a class of SQLSTATEs (two characters) is for those that have no line. */
const MEANINGS: Readonly<Record<string, readonly Meaning[]>> = {
  // Connection exceptions.
  '08': ['away'],
  '08000': ['away', 'passing'],
  '08001': ['away', 'passing'],
  '08003': ['away', 'passing'],
  [SQLSTATE.connectionFailure]: ['away', 'passing'],
  // A fail-over has just demoted this server.
  [SQLSTATE.readOnly]: ['away', 'passing'],
  // The process was stopped or starved.
  [SQLSTATE.idleInTransactionTimeout]: ['passing'],
  // A password that is being changed.
  '28': ['away'],
  // Not created yet.
  [SQLSTATE.noDatabase]: ['away'],
  [SQLSTATE.serializationFailure]: ['conflict', 'away', 'passing'],
  [SQLSTATE.deadlock]: ['conflict', 'slow', 'away', 'passing'],
  // Insufficient resources: connections, memory, disk.
  '53': ['away'],
  [SQLSTATE.diskFull]: ['away', 'full'],
  [SQLSTATE.tooManyConnections]: ['away', 'passing', 'taken'],
  [SQLSTATE.configurationLimit]: ['away', 'taken'],
  [SQLSTATE.lockNotAvailable]: ['slow', 'away', 'passing'],
  // How the server ends a statement after STATEMENT_TIMEOUT_MS.
  [SQLSTATE.canceled]: ['slow', 'away'],
  [SQLSTATE.adminShutdown]: ['away', 'passing'],
  [SQLSTATE.crashShutdown]: ['away', 'passing'],
  // Starting up, or a standby that isn't consistent yet.
  [SQLSTATE.cannotConnectNow]: ['away', 'passing'],
  [SQLSTATE.idleSessionTimeout]: ['passing'],
  // Codes of the system: a connection that failed, or a network that is coming up.
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

/** Whether a SQLSTATE, or a code of the system, means this. */
export const means = (code: string | undefined, meaning: Meaning): boolean =>
  code !== undefined && (MEANINGS[code] ?? MEANINGS[code.slice(0, 2)] ?? []).includes(meaning);
