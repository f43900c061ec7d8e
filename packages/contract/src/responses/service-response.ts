import { z } from "zod";

/** `data` of the service check. */
export const serviceResponse = z
  .object({ applicationName: z.string(), applicationVersion: z.string() })
  .meta({ id: "Service" });

/** `data` of an answer without payload. */
export const emptyResponse = z.strictObject({}).meta({ id: "Nothing" });
