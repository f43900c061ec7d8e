import { z } from "zod";

/** Whether an object is locked. */
export const lockResponse = z
  .object({
    isLocked: z.boolean(),
    messages: z.array(z.string()).describe("Whose the lock is and since when, in words."),
  })
  .meta({ id: "Lock" });
