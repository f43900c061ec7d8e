import { z } from "zod";

/** `data` of a changed password. */
export const changePasswordResponse = z
  .object({
    confirmationRequired: z
      .literal(true)
      .optional()
      .describe("Of custom users: the change takes effect with the code that was mailed."),
  })
  .meta({ id: "ChangePasswordResponse" });
