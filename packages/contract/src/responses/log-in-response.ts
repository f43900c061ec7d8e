import { z } from "zod";
import { objectSchema } from "./object-schemas.ts";

/** `data` of a log-in in session-id mode. */
export const sessionLogInResponse = z
  .object({
    sessionId: z.string().describe("Sent as the header `sessionId` with every further request."),
    user: objectSchema.describe("The user's own object."),
    databaseName: z.string(),
  })
  .meta({ id: "SessionLogIn" });
