import { errorCode, messageOf, PlatError, READ_ONLY } from '../../shared/platform/errors.ts';
import { SQLSTATE } from '../../shared/platform/sqlstates.ts';

const CANNOT_CONNECT = 'The database cannot be reached. Check that it runs and that DATABASE_URL is right.';
const LOST = 'The connection to the database was lost. Run the command again.';

/** What to do about errors that a person can fix, by SQLSTATE or the code of the system. */
const REMEDIES: Record<string, string> = {
  ECONNREFUSED: CANNOT_CONNECT,
  EHOSTUNREACH: CANNOT_CONNECT,
  ENOTFOUND: CANNOT_CONNECT,
  EAI_AGAIN: CANNOT_CONNECT,
  ETIMEDOUT: CANNOT_CONNECT,
  [SQLSTATE.invalidAuthorization]: CANNOT_CONNECT,
  [SQLSTATE.invalidPassword]: CANNOT_CONNECT,
  [SQLSTATE.noDatabase]: CANNOT_CONNECT,
  ECONNRESET: LOST,
  [SQLSTATE.adminShutdown]: LOST,
  [SQLSTATE.cannotConnectNow]: 'The database is starting or stopping. Run the command again in a moment.',
  [SQLSTATE.readOnly]: `The database is read-only. ${READ_ONLY}`,
  [SQLSTATE.insufficientPrivilege]:
    'The database role of DATABASE_URL lacks a permission. Use the role that owns the tables, or grant it.',
  [SQLSTATE.diskFull]: "The database's disk is full.",
  [SQLSTATE.tooManyConnections]:
    'The database has no free connection: stop a process, or raise max_connections of PostgreSQL.',
  ENOSPC: 'The disk is full.',
  EACCES: 'This user may not read or write that file.',
};

/** The text that a command prints for an error. The stack appears only with LOG_LEVEL=debug. */
export function errorText(error: unknown, env: NodeJS.ProcessEnv = process.env): string {
  if (error instanceof PlatError) return error.message;
  if (/^(debug|trace)$/.test(env.LOG_LEVEL ?? '') && error instanceof Error)
    return error.stack ?? error.message;
  const message = messageOf(error) || (errorCode(error) ?? 'unknown');
  const remedy = REMEDIES[errorCode(error) ?? ''];
  return remedy === undefined
    ? `Unexpected error: ${message}. Run the command again with LOG_LEVEL=debug to see where it happened.`
    : `${remedy} (${message})`;
}
