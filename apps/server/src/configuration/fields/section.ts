import { z } from "zod";

/** A group of fields; all of their defaults apply when it is absent. Members that nobody knows are refused. */
export function section<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: "must be an object" }).prefault({} as never);
}

/** A group of fields that has a meaning by being there. */
export function optionalSection<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: "must be an object" }).optional();
}
