import type { Application } from "./application.ts";

/** Port: the app names that a database knows. */
export interface ApplicationRepository {
  /** `nameTaken` when the name exists; names compare exactly. One that is not storable: 307. */
  create(application: Application): Promise<"created" | "nameTaken">;

  /** Those of the names that exist, in any order, each once. */
  known(names: readonly string[]): Promise<string[]>;

  /** At most `limit` of them in the order of their names by code points: from the first (`null`), or those after a name. */
  list(after: string | null, limit: number): Promise<Application[]>;
}
