import { z } from "zod";

/** How many objects a request has changed. */
export const countResponse = z
  .object({ "~Count": z.number().int().min(0).describe("Objects that were changed.") })
  .meta({ id: "Count" });

/** How many objects a request has purged. */
export const purgeResponse = z
  .object({ "~Count": z.number().int().min(0).describe("Objects that were deleted for good.") })
  .meta({ id: "PurgeCount" });
