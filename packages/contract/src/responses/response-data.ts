import type { z } from "zod";
import type { apiDescription } from "./api-description.ts";
import type { countResponse } from "./count-response.ts";
import type { lockResponse } from "./lock-response.ts";
import type { objectListSchema, objectSchema, recyclerSchema } from "./object-schemas.ts";
import type { readersResponse } from "./readers-response.ts";
import type { classStructure, modelStructure } from "./structure-schemas.ts";
import type { serviceResponse } from "./service-response.ts";

/** A serialised object: its meta-fields and whatever attributes its class has. */
export type ObjectData = z.infer<typeof objectSchema>;

/** One page of a list. */
export type ObjectListData = z.infer<typeof objectListSchema>;

/** How many objects a request has changed. */
export type CountData = z.infer<typeof countResponse>;

/** Who alone may see an object. */
export type ReadersData = z.infer<typeof readersResponse>;

/** A page of the recycle bin. */
export type RecyclerData = z.infer<typeof recyclerSchema>;

/** Whether an object is locked. */
export type LockData = z.infer<typeof lockResponse>;

/** A class as the caller sees it. */
export type ClassStructureData = z.infer<typeof classStructure>;

/** The classes that the caller may read. */
export type ModelStructureData = z.infer<typeof modelStructure>;

/** What the service says of itself. */
export type ServiceData = z.infer<typeof serviceResponse>;

/** An OpenAPI document. */
export type ApiDescription = z.infer<typeof apiDescription>;
