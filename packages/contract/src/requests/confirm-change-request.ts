import { z } from "zod";
import { refusedWith } from "../fields/refused-with.ts";

const longestCode = 100;

/** Body of `POST /v1/auth/df/confirmChangePassword`. */
export const confirmChangePasswordRequest = z
  .object({
    confirmationCode: z
      .string(refusedWith(326))
      .max(longestCode, refusedWith(326))
      .refine((text) => text.trim() !== "", refusedWith(326))
      .describe("What the mail says, in any case, with or without the hyphen."),
  })
  .meta({ id: "ConfirmChangePasswordRequest" });
