import { Option } from "commander";
import { type ConfigurationOptions } from "../configuration-option.ts";

export interface AliasOptions extends ConfigurationOptions {
  readonly alias?: string;
}

/** `--alias`, for commands that work on one database. */
export function aliasOption(otherwise: string): Option {
  return new Option("-a, --alias <alias>", `alias of the database (default: ${otherwise})`);
}

export const oneDatabase = "the empty alias, or the only one there is";
