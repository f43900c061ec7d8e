import type { LogInMode } from "@sallyport/client";
import type { Visit } from "./visit.ts";

/** One check of a server. */
export interface Check {
  readonly section: string;
  readonly title: string;
  /** `null`: the check has no session, or opens its own. */
  readonly mode: LogInMode | null;
  /** Throws if the server fails the check. */
  readonly run: (visit: Visit) => Promise<void>;
}
