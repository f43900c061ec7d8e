/** One error of the configuration. */
export interface Fault {
  /** Path in the file, such as `databases[1].alias`. */
  readonly path: string;
  /** Environment variable of the value, or the one that can set it. */
  readonly env?: string;
  /** Completes a sentence that starts with the path. Never contains a secret value. */
  readonly reason: string;
}

/** The configuration is invalid for all these reasons. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";

  constructor(readonly faults: readonly Fault[]) {
    super(messageOf(faults));
  }
}

function messageOf(faults: readonly Fault[]): string {
  const [first] = faults;
  if (first !== undefined && faults.length === 1 && first.path === "") return first.reason;
  return ["Invalid configuration:", ...faults.map((fault) => `  - ${faultLine(fault)}`)].join("\n");
}

function faultLine({ path, env, reason }: Fault): string {
  return path === "" ? reason : `${path}${env === undefined ? "" : ` (${env})`}: ${reason}`;
}
