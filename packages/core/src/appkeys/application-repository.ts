import type { Application } from "./application.ts";

/** Port: the app names that a database knows. */
export interface ApplicationRepository {
  /** `nameTaken` when the name exists; names compare exactly. */
  create(application: Application): Promise<"created" | "nameTaken">;

  /** Those of the names that exist, in any order, each once. */
  known(names: readonly string[]): Promise<string[]>;
}
