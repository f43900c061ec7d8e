import type { SecondFactorRule } from "../second-factors/second-factor-repository.ts";

/** An app name to create; without a rule for second factors it has none. */
export type NewApplication = Pick<Application, "name" | "seats"> & Partial<Pick<Application, "secondFactor">>;

/** Port: the app names that a database knows. */
export interface ApplicationRepository {
  /** `nameTaken` when the name exists; names compare exactly. One that is not storable: 307. */
  create(application: NewApplication): Promise<"created" | "nameTaken">;

  /** Those of the names that exist, in any order, each once. */
  known(names: readonly string[]): Promise<string[]>;

  /** Those of the names whose rule for second factors is not `off`, in any order, each once. */
  askingForFactors(names: readonly string[]): Promise<Pick<Application, "name" | "secondFactor">[]>;

  /** Sets the rule for second factors; `false` if no app name is called that. The next log-in already follows it. */
  setSecondFactor(name: string, rule: SecondFactorRule): Promise<boolean>;

  /** At most `limit` of them in the order of their names by code points: from the first (`null`), or those after a name. */
  list(after: string | null, limit: number): Promise<Application[]>;
}

/** A name that log-ins can carry in `appNames`. */
export interface Application {
  readonly name: string;
  /** How many log-ins may hold a seat at once; `null` means any number. */
  readonly seats: number | null;
  /** What a log-in with this name asks of a second factor. */
  readonly secondFactor: SecondFactorRule;
}

/** The app names that a database is known to have: one that was found once stays, as nothing removes app names. */
export class KnownApplications {
  private readonly names = new Set<string>();

  /** Whether all of the names exist; those that are not known yet are looked up. */
  async includes(names: readonly string[], applications: ApplicationRepository): Promise<boolean> {
    const unknown = names.filter((name) => !this.names.has(name));
    if (unknown.length === 0) return true;
    for (const name of await applications.known(unknown)) this.names.add(name);
    return unknown.every((name) => this.names.has(name));
  }
}
