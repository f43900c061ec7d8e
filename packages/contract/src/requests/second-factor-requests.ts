import { z } from "zod";
import { refusedWith } from "../fields/refused-with.ts";

/** Which app name a second factor is for. */
export const secondFactorParameters = z.object({
  app: z
    .string(refusedWith(209))
    .refine((name) => name.trim() !== "", refusedWith(208))
    .describe("One of the app names of the session."),
});

/** Body with a token of a second factor. */
export const factorTokenRequest = z
  .object({
    token: z
      .string()
      .max(1_024)
      .optional()
      .describe("Token of the second factor, or a recovery code of a confirmed one. Empty counts as absent."),
  })
  .meta({ id: "FactorToken" });
