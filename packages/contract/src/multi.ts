import * as z from "zod";
import { statusSchema } from "./envelope.ts";
import { flag, later } from "./fields.ts";

/** Maximum number of items per multi request. */
export const maximumItems = 50;

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** One item of a multi request. */
export const multiItem = z
  .strictObject({
    // An unknown method fails with the code of a single request, not as a schema error.
    method: z.string().meta({ enum: methods, description: "HTTP method." }),
    path: z
      .string()
      .describe(
        "Path without the alias of the database, with the URL-encoded query string: `/v1/objects/Order?perPage=10`.",
      ),
    data: z.unknown().optional().describe("Request body, if the route has one."),
  })
  .meta({ id: "MultiItem", description: "A request inside a multi request." });

/** Body of a multi request. An invalid item fails alone. */
export const multiRequest = z.array(later(multiItem)).max(maximumItems).describe("Requests in the order of execution.");

/** Query parameters of a multi request. */
export const multiParameters = z.object({
  atomic: flag.default(false).describe("Executes all items in one transaction: all succeed or none has an effect."),
});

/** Result of one item of a multi request. */
export const multiResult = z
  .object({
    httpStatus: z.int().describe("HTTP status of the item."),
    result: z
      .object({ status: statusSchema, data: z.unknown().optional() })
      .describe("Envelope of the item, as in a single request. Only a success has `data`."),
  })
  .meta({ id: "MultiResult" });

/** `data` of a multi request: the results in the order of the items. */
export const multiResponse = z.array(multiResult);
