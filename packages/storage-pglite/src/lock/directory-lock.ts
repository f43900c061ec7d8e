import { randomUUID } from "node:crypto";
import { link, open, readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { startBeacon, probeBeacon } from "./lock-beacon.ts";
import { type LockRecord, machineIdentity, ownLockRecord, processRuns, readLockRecord } from "./lock-record.ts";

export interface LockHolder {
  /** Its process id, in its own pid namespace; `undefined` when the lock file is unreadable. */
  readonly pid: number | undefined;
  readonly host: string | undefined;
  /** ISO 8601, by the holder's clock. */
  readonly since: string | undefined;
  /** False when this process cannot check the holder and assumes that it is alive. */
  readonly seenAlive: boolean;
}

/**
 * The data directory belongs to another engine, of another process or of this one. Nothing in it was read or written.
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
    super(`The data directory ${directory} is in use by ${describe(holder)}. ${adviceFor(lockFile, holder)}`);
  }

  get pid(): number | undefined {
    return this.holder.pid;
  }
}

function describe({ pid, host, since }: LockHolder): string {
  if (pid === undefined) return "an unknown process";
  return `process ${pid} on ${host ?? "an unknown host"}${since === undefined ? "" : ` since ${since}`}`;
}

function adviceFor(lockFile: string, holder: LockHolder): string {
  if (holder.seenAlive) return "Stop it first, or choose another directory.";
  return `This process cannot check whether that process is running. If it is not, delete ${lockFile}.`;
}

/** A directory locked by this process until its release or the end of the process. */
export interface DirectoryLock {
  /** The lock file, absolute. */
  readonly file: string;
  /** Releases the directory. Idempotent. */
  release(): Promise<void>;
}

/**
 * Locks a directory for this process with a file `lock` in it. A lock of a dead holder is taken over at once, by
 * exactly one of any number of processes. Needs a file system with hard links.
 *
 * @throws {DirectoryLockedError} when a process, this one included, has locked it or may have
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const root = resolve(directory);
  const file = join(root, "lock");
  const token = randomUUID();
  const beacon = await startBeacon(root, `lock.${token}.sock`);
  const record = ownLockRecord(token, beacon?.name ?? null);
  const candidate = `${file}.${token}.candidate`;
  try {
    await writeWhole(candidate, record);
    await take(root, file, candidate);
    await sweep(root);
  } catch (error) {
    await releaseFile(file, token);
    await beacon?.stop();
    throw error;
  } finally {
    await rm(candidate, { force: true });
  }
  let released: Promise<void> | undefined;
  const release = async (): Promise<void> => {
    await releaseFile(file, token);
    await beacon?.stop();
  };
  return { file, release: () => (released ??= release()) };
}

/**
 * Links `file` to the candidate, or throws. A guard replaces a stale file. The guard is itself such a lock, named after the
 * token of the stale file: one process holds it and replaces only the file it judged. A late process finds another
 * token in the file and judges again. A file that is neither there nor can be replaced, such as a broken symbolic link, has
 * an unknown holder.
 */
async function take(root: string, file: string, candidate: string, attempts = maxAttempts): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    if (await linked(candidate, file)) return;
    const holder = await readLockRecord(file);
    if (holder === undefined) continue;
    if (holder === "unreadable") throw new DirectoryLockedError(root, file, unknownHolder);
    const state = await holderState(root, holder);
    if (state !== "gone") throw lockedBy(root, file, holder, state === "alive");

    const guard = `${join(root, "lock")}.${holder.token}.guard`;
    await take(root, guard, candidate, attempts - attempt);
    const now = await readLockRecord(file);
    if (typeof now !== "object" || now.token !== holder.token) {
      await rm(guard, { force: true });
      continue;
    }
    await rename(guard, file);
    if (holder.beacon !== null) await rm(join(root, holder.beacon), { force: true });
    return;
  }
  throw new DirectoryLockedError(root, file, unknownHolder);
}

/** Each attempt after the first one means that another process has taken or released the lock. */
const maxAttempts = 100;

const unknownHolder = { pid: undefined, host: undefined, since: undefined, seenAlive: false };

function lockedBy(root: string, file: string, { pid, host, since }: LockRecord, seenAlive: boolean): Error {
  return new DirectoryLockedError(root, file, { pid, host, since, seenAlive });
}

async function linked(candidate: string, file: string): Promise<boolean> {
  try {
    await link(candidate, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function releaseFile(file: string, token: string): Promise<void> {
  const record = await readLockRecord(file);
  if (typeof record === "object" && record.token === token) await rm(file, { force: true });
}

/** Removes the files of processes that died while taking the lock. */
async function sweep(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!/^lock\..+\.(candidate|guard)$/.test(name)) continue;
    const record = await readLockRecord(join(root, name));
    if (typeof record !== "object" || (await holderState(root, record)) !== "gone") continue;
    await rm(join(root, name), { force: true });
    if (record.beacon !== null) await rm(join(root, record.beacon), { force: true });
  }
}

/** Syncs the file before it gets its name, so that a power failure never leaves an unreadable lock. */
async function writeWhole(file: string, record: LockRecord): Promise<void> {
  const handle = await open(file, "wx", 0o644);
  try {
    await handle.writeFile(`${JSON.stringify(record)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Whether the holder of a lock still runs: "alive", "gone", or "unknown".
 *
 * - Same boot and pid namespace: the process id with its start time decides, so that a recycled pid does not matter.
 * - Same boot, other pid namespace (another container, or an earlier run of this one, with the same pid 1): the beacon decides.
 * - Another boot under the same host name: the machine was restarted, so the holder is gone.
 * - Another host: unknown. This refuses a shared network volume.
 */
export async function holderState(directory: string, record: LockRecord): Promise<"alive" | "gone" | "unknown"> {
  const ownMachine = machineIdentity();
  if (record.bootId !== ownMachine.bootId || record.bootId === null) {
    if (record.host !== ownMachine.host) return "unknown";
    if (record.bootId !== ownMachine.bootId) return "gone";
  }
  if (record.pidNamespace !== null && record.pidNamespace === ownMachine.pidNamespace) return byProcess(record);
  if (record.beacon !== null) return byBeacon(directory, record.beacon);
  return record.pidNamespace === ownMachine.pidNamespace ? byProcess(record) : "unknown";
}

function byProcess(record: LockRecord): "alive" | "gone" {
  return processRuns(record.pid, record.start) ? "alive" : "gone";
}

async function byBeacon(directory: string, beacon: string): Promise<"alive" | "gone" | "unknown"> {
  const answer = await probeBeacon(directory, beacon);
  return answer === "listening" ? "alive" : answer === "notListening" ? "gone" : "unknown";
}
