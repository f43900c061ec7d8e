import { z } from "zod";
import { parseJsonParameter } from "../fields/json-parameter.ts";

/** The `query` parameter: a JSON object as text. It has no members yet, so any member is refused. */
export const queryParameter = z
  .string()
  .transform((text) => parseJsonParameter("query", text, 329))
  .pipe(z.strictObject({}))
  .describe("Which objects are listed: a JSON object; `{}` lists all.");
