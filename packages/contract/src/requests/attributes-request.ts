import { z } from "zod";

/** The body of a request that creates or changes an object. What attributes there are, and of which type, says the class. */
export const attributesRequest = z
  .looseObject({})
  .describe(
    'Attributes of the object by name. A reference is an id, a UUID, or `{"~ObjectID": …}`; a collection a list of those.',
  )
  .meta({ id: "Attributes" });
