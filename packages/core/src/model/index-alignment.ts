import type { Database } from "../databases/database.ts";

/** Port: brings the indexes of a database in line with its model, in the background. */
export interface IndexAlignment {
  begin(database: Database): void;
}
