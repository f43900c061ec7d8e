import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { CommandError } from "./failures.ts";

/** A database with the credentials for it. */
export interface Profile {
  readonly url: string;
  readonly alias: string;
  readonly appKey: string;
  readonly user: string;
  readonly passwordHash: "md5" | "none";
  /** Absent before the first log-in. */
  readonly sessionId?: string | undefined;
}

const pattern = /^[a-z0-9][a-z0-9_-]{0,62}$/;

export function profileFolder(): string {
  // oxlint-disable-next-line no-restricted-properties -- The folder of a user's settings has no option; its standard is this variable.
  const folder = process.env["XDG_CONFIG_HOME"];
  return join(folder === undefined || folder === "" ? join(homedir(), ".config") : folder, "sallyport");
}

function fileOf(name: string): string {
  if (!pattern.test(name))
    throw new CommandError(`"${name}" is not the name of a profile. Use a-z, 0-9, "-" and "_", at most 63.`);
  return join(profileFolder(), `${name}.json`);
}

/** The profile; `undefined` if there is none. Refuses a file that others can read. */
export function findProfile(name: string): Profile | undefined {
  const file = fileOf(name);
  const state = statSync(file, { throwIfNoEntry: false });
  if (state === undefined) return undefined;
  // Windows keeps the folder of a user from others, and has no such modes.
  if (process.platform !== "win32" && (state.mode & 0o077) !== 0)
    throw new CommandError(`Others can read ${file}. Run: chmod 600 ${file}`, "local");
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Profile;
  } catch (cause) {
    throw new CommandError(`${file} is damaged. Remove it, and log in again.`, "local", { cause });
  }
}

export function requireProfile(name: string): Profile {
  const profile = findProfile(name);
  if (profile !== undefined) return profile;
  const others = profileNames();
  const existing = others.length === 0 ? "" : ` Profiles: ${others.join(", ")}.`;
  throw new CommandError(
    `You are not logged in with the profile "${name}".${existing} Log in with "sallyport log-in".`,
    "notLoggedIn",
  );
}

/** Replaces the file at once, so that a concurrent command never reads a half of it. */
export function saveProfile(name: string, profile: Profile): void {
  const file = fileOf(name);
  const folder = profileFolder();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const next = `${file}.${process.pid}`;
  rmSync(next, { force: true });
  writeFileSync(next, `${JSON.stringify(profile, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(next, file);
}

export function removeProfile(name: string): void {
  rmSync(fileOf(name), { force: true });
}

function profileNames(): readonly string[] {
  try {
    return readdirSync(profileFolder()).flatMap((file) => (file.endsWith(".json") ? [file.slice(0, -5)] : []));
  } catch {
    return [];
  }
}
