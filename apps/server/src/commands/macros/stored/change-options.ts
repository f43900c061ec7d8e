import { userInfo } from "node:os";
import { Option } from "commander";
import { CommandError } from "../../command-error.ts";
import type { AliasOptions } from "../../databases/alias-option.ts";

export interface ChangeOptions extends AliasOptions {
  readonly by?: string;
  readonly ifVersion?: string;
}

/** `--by`. */
export function authorOption(): Option {
  return new Option("--by <name>", "who makes the change, for the history (default: the user of the operating system)");
}

/** `--if-version`. */
export function ifVersionOption(): Option {
  return new Option("--if-version <number>", "only if this is still the current version; 0: only if there is none");
}

export function authorOf({ by }: ChangeOptions): string {
  const name = by ?? systemUser();
  if (name.trim() === "" || name.length > 255) throw new CommandError("--by takes a name of 1 to 255 characters.");
  return name;
}

/** A container may run as a user that has no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}

export function expectedVersionOf({ ifVersion }: ChangeOptions): number | null {
  return ifVersion === undefined ? null : versionOf(ifVersion, "--if-version");
}

/** The version that an option names. */
export function versionOf(text: string, option: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new CommandError(`${option} takes the number of a version.`);
  return Number(text);
}
