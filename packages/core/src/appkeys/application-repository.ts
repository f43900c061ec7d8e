import type { SecondFactorRule } from "../second-factors/second-factor.ts";
import type { Application } from "./application.ts";

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
