import { randomUUID } from "node:crypto";
import { link, open, readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DirectoryLockedError } from "./directory-locked-error.ts";
import { judgeHolder } from "./judge-holder.ts";
import { lightBeacon } from "./lock-beacon.ts";
import { ownLockRecord, readLockRecord, type LockRecord } from "./lock-record.ts";

/** A directory held by this process until it is released or the process ends. */
export interface DirectoryLock {
  /** The lock file, absolute. */
  readonly file: string;
  /** Gives the directory free; calling it again does nothing. */
  release(): Promise<void>;
}

/**
 * Takes a directory for this process alone, by a file `lock` in it. A lock whose holder is gone is taken over at once;
 * of any number of processes that find it so, exactly one does. Needs a file system with hard links.
 *
 * @throws {DirectoryLockedError} when somebody holds it, this process included, or may hold it
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const root = resolve(directory);
  const file = join(root, "lock");
  const token = randomUUID();
  const beacon = await lightBeacon(root, `lock.${token}.sock`);
  const record = ownLockRecord(token, beacon?.name ?? null);
  const claim = `${file}.${token}.claim`;
  try {
    await writeWhole(claim, record);
    await take(root, file, claim);
    await sweep(root);
  } catch (error) {
    await releaseFile(file, token);
    await beacon?.extinguish();
    throw error;
  } finally {
    await rm(claim, { force: true });
  }
  let released: Promise<void> | undefined;
  const release = async (): Promise<void> => {
    await releaseFile(file, token);
    await beacon?.extinguish();
  };
  return { file, release: () => (released ??= release()) };
}

/**
 * Gives `file` to the claim, or throws. A stale file is replaced by a guard, itself such a lock, that is named after
 * the token of the file it will replace: one process holds the guard, and it replaces only the very file it judged.
 * Whoever comes late to the guard finds another token in the file and judges anew.
 */
async function take(root: string, file: string, claim: string): Promise<void> {
  for (;;) {
    if (await linked(claim, file)) return;
    const holder = await readLockRecord(file);
    if (holder === undefined) continue;
    if (holder === "unreadable") throw new DirectoryLockedError(root, file, nobodyKnown);
    const state = await judgeHolder(root, holder);
    if (state !== "gone") throw lockedBy(root, file, holder, state === "alive");

    const guard = `${join(root, "lock")}.${holder.token}.guard`;
    await take(root, guard, claim);
    const now = await readLockRecord(file);
    if (typeof now !== "object" || now.token !== holder.token) {
      await rm(guard, { force: true });
      continue;
    }
    await rename(guard, file);
    if (holder.beacon !== null) await rm(join(root, holder.beacon), { force: true });
    return;
  }
}

const nobodyKnown = { pid: undefined, host: undefined, since: undefined, seenAlive: false };

function lockedBy(root: string, file: string, { pid, host, since }: LockRecord, seenAlive: boolean): Error {
  return new DirectoryLockedError(root, file, { pid, host, since, seenAlive });
}

async function linked(claim: string, file: string): Promise<boolean> {
  try {
    await link(claim, file);
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

/** Removes what processes left that died while they tried to take the lock. */
async function sweep(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!/^lock\..+\.(claim|guard)$/.test(name)) continue;
    const record = await readLockRecord(join(root, name));
    if (typeof record !== "object" || (await judgeHolder(root, record)) !== "gone") continue;
    await rm(join(root, name), { force: true });
    if (record.beacon !== null) await rm(join(root, record.beacon), { force: true });
  }
}

/** On the disk before it gets its name, so that not even a power cut leaves a lock nobody can read. */
async function writeWhole(file: string, record: LockRecord): Promise<void> {
  const handle = await open(file, "wx", 0o644);
  try {
    await handle.writeFile(`${JSON.stringify(record)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
