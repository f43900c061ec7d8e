import { z } from "zod";
import { statusSchema } from "../envelope/envelope.ts";

/** What became of one item of a multi request. */
export const multiResult = z
  .object({
    httpStatus: z.int().describe("As the item alone would have been answered."),
    result: z
      .object({ status: statusSchema, data: z.unknown().optional() })
      .describe("The envelope with which the item alone would have been answered: `data` of a success only."),
  })
  .meta({ id: "MultiResult" });

/** `data` of a multi request: the results in the order of the items. */
export const multiResponse = z.array(multiResult);
