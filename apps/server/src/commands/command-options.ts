import { Option } from "commander";

export interface ConfigurationOptions {
  readonly config?: string;
}

/** `--config`, which every command takes that reads the configuration. */
export function configurationOption(): Option {
  return new Option(
    "-c, --config <file>",
    "configuration file (default: SALLYPORT_CONFIG, or ./sallyport.config.json if it exists)",
  );
}

export interface AliasOptions extends ConfigurationOptions {
  readonly alias?: string;
}

/** `--alias`, for commands that work on one database. */
export function aliasOption(otherwise: string): Option {
  return new Option("-a, --alias <alias>", `alias of the database (default: ${otherwise})`);
}

export const oneDatabase = "the empty alias, or the only one there is";
