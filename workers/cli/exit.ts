/** Exit codes of every command. */
export const EXIT = {
  ok: 0,
  /** The work failed; the message says why. */
  failed: 1,
  /** The command was called wrongly, or names something that does not exist. */
  usage: 2,
  /** The gate blocked a run: nothing changed, `plat runs show` says why. */
  blocked: 3,
} as const;
