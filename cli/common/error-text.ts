import { errorCode, messageOf, PlatError, READ_ONLY } from '../../shared/platform/errors.ts';
import { SQLSTATE } from '../../shared/platform/sqlstates.ts';

const CANNOT_CONNECT =
  "Can't connect to the database. Check that it is running and that DATABASE_URL is correct.";
const LOST = 'Lost the connection to the database. Run the command again.';

/** How to fix an error, by SQLSTATE or system error code. */
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
    'The database role in DATABASE_URL lacks a permission. Use the role that owns the tables, or grant the permission.',
  [SQLSTATE.diskFull]: "The database's disk is full. Free some space and run the command again.",
  [SQLSTATE.tooManyConnections]:
    'The database has no free connections. Stop a process, or raise max_connections in PostgreSQL.',
  ENOSPC: 'The disk is full. Free some space and run the command again.',
  EACCES: "This user doesn't have permission to read or write the file.",
};

/** The text that a command prints for an error. Includes the stack only with LOG_LEVEL=debug. */
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
