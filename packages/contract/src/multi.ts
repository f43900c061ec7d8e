import * as z from "zod";
import { statusSchema } from "./envelope.ts";
import { flag } from "./fields.ts";

/** Maximum number of items per multi request. */
export const maximumItems = 50;

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** One item of a multi request. */
export const multiItem = z
  .strictObject({
    // An unknown method fails with the code of a single request, not as a schema error.
    method: z.string().meta({ enum: methods, description: "As in a request of its own." }),
    path: z
      .string()
      .describe(
        "Without the alias of the database, but with the query string, encoded as in an address: `/v1/objects/Order?perPage=10`.",
      ),
    data: z.unknown().optional().describe("The body, where the route takes one."),
  })
  .meta({ id: "MultiItem", description: "A request inside of a multi request." });

/** Body of a multi request. */
export const multiRequest = z
  .array(multiItem)
  .max(maximumItems)
  .describe("Requests, in the order in which they are done.");

/** Body of a multi request with unvalidated items. Each item is validated separately. */
export const multiItems = z.array(z.unknown()).max(maximumItems);

/** Query parameters of a multi request. */
export const multiParameters = z.object({
  atomic: flag.default(false).describe("Whether all items are done in one transaction: all of them, or none."),
});

/** Result of one item of a multi request. */
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
