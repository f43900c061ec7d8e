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
