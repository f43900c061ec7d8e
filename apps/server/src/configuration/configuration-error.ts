/** One thing that is wrong with the configuration. */
export interface Fault {
  /** As in the file, such as `databases[1].alias`. */
  readonly path: string;
  /** The environment variable that the value came from or, where there is none, can come from. */
  readonly env?: string;
  /** Completes a sentence that begins with the path; never holds the value of a secret. */
  readonly reason: string;
}

/** The configuration is refused, for all of these reasons. */
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
