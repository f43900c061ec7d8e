import { z } from "zod";

/** Yes or no in a query string. */
export const flag = z
  .enum(["true", "false"])
  .transform((text) => text === "true")
  .pipe(z.boolean());
