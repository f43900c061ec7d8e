import { z } from "zod";

/** Who alone may see an object. */
export const readersResponse = z
  .object({
    readers: z.array(z.string()).nullable().describe("Ids of users and groups; `null` for all whom the class lets."),
  })
  .meta({ id: "Readers" });
