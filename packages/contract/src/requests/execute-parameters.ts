import { z } from "zod";
import { flag } from "./flag.ts";

/** Query parameters of an execution. */
export const executeParameters = z.object({
  skipChecker: flag
    .default(false)
    .describe("Leaves out the execution checker of the macro, which needs the right to do so."),
});
