import type { Person } from "../accounts/person.ts";
import type { AppKeyContext } from "../request/request-context.ts";

/** What somebody says who wants to come in as a custom user. */
export interface CustomCredentials {
  readonly user: string;
  /** Plain, or as clients send it. */
  readonly pass: string;
  readonly appNames: readonly string[];
  /** The links of the user object that are to be read with it. */
  readonly links: readonly string[];
}

/** What a proof brings besides the person. */
export interface ProvenCustomUser {
  readonly person: Person;
  /** What can wait until the log-in is done: its failure is nobody's business. */
  readonly afterwards: (context: AppKeyContext) => Promise<void>;
}

/** Who knows custom users: it looks somebody up, and what comes back proves who it is, or gives `null`. */
export interface ProveCustomUser {
  prepare(context: AppKeyContext, credentials: CustomCredentials): Promise<() => Promise<ProvenCustomUser | null>>;
}
