import type { z } from "zod";
import type { objectListSchema, objectSchema } from "./object-schemas.ts";
import type { serviceResponse } from "./service-response.ts";

/** A serialised object: its meta-fields and whatever attributes its class has. */
export type ObjectData = z.infer<typeof objectSchema>;

/** One page of a list. */
export type ObjectListData = z.infer<typeof objectListSchema>;

/** What the service says of itself. */
export type ServiceData = z.infer<typeof serviceResponse>;
