import { z } from "zod";
import { parseJsonParameter } from "../fields/json-parameter.ts";

const serialization = z.strictObject({
  type: z.literal("full").optional(),
  depth: z.number().int().min(0).max(5).optional(),
});

/** The `serialization` parameter: a JSON object as text. */
export const serializationParameter = z
  .string()
  .transform((text) => parseJsonParameter("serialization", text, 307))
  .pipe(serialization)
  .describe('How objects are written: `{"type": "full", "depth": 2}`. References beyond the depth show meta-fields only.');

/** How objects are to be written. */
export type Serialization = Readonly<z.input<typeof serialization>>;
