import type { Statement } from "../statement.ts";

export interface AppKeyStatements {
  /** 1 id, 2 name, 3 digest, 4 app names or null, 5 origins, 6 return addresses. Adds a row, unless one of the first three is known. */
  readonly create: Statement;
  /** 1 origin. A row if an app key that is enabled lists it. */
  readonly listsOrigin: Statement;
}
