import { z } from "zod";

/** What became of one item of a multi request. */
export const multiResult = z
  .object({
    httpStatus: z.int().describe("As the item alone would have been answered."),
    result: z.unknown().describe("`data` of a success; of a failure the code, a number."),
    debugMessage: z.string().optional().describe("Of a failure, and only when the configuration turns it on."),
  })
  .meta({ id: "MultiResult" });

/** `data` of a multi request: the results in the order of the items. */
export const multiResponse = z.array(multiResult);
