import { z } from "zod";

const mostReaders = 1_000;

/** The body of a request that says who alone may see an object. */
export const readersRequest = z
  .strictObject({
    readers: z
      .array(z.string())
      .max(mostReaders)
      .nullable()
      .describe(
        "Ids or UUIDs of users and groups, the caller or a group of the caller among them unless an administrator asks; `null` for all whom the class lets.",
      ),
  })
  .meta({ id: "GivenReaders" });
