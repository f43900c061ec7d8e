/** What is known of the process that holds a directory. */
export interface LockHolder {
  /** Its process id, in its own pid namespace; `undefined` when the lock file cannot be read. */
  readonly pid: number | undefined;
  readonly host: string | undefined;
  /** ISO 8601, by the holder's clock. */
  readonly since: string | undefined;
  /** False when the holder lives (or lived) where this process cannot look, so that it had to be assumed alive. */
  readonly seenAlive: boolean;
}

/**
 * The data directory belongs to another engine: of another process, or an earlier one of this process.
 * Nothing was read or written in it.
 */
export class DirectoryLockedError extends Error {
  override readonly name = "DirectoryLockedError";
  readonly code = "DIRECTORY_LOCKED";

  constructor(
    /** The data directory, absolute. */
    readonly directory: string,
    /** The lock file, absolute. */
    readonly lockFile: string,
    readonly holder: LockHolder,
  ) {
    super(`The data directory ${directory} is in use by ${describe(holder)}. ${advise(lockFile, holder)}`);
  }

  get pid(): number | undefined {
    return this.holder.pid;
  }
}

function describe({ pid, host, since }: LockHolder): string {
  if (pid === undefined) return "an unknown process";
  return `process ${pid} on ${host ?? "an unknown host"}${since === undefined ? "" : ` since ${since}`}`;
}

function advise(lockFile: string, holder: LockHolder): string {
  if (holder.seenAlive) return "Stop it first, or choose another directory.";
  return `Whether it still runs cannot be seen from here; if it certainly does not, delete ${lockFile}.`;
}
