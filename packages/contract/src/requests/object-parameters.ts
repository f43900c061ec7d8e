import { z } from "zod";
import { queryParameter } from "./query-parameter.ts";
import { serializationParameter } from "./serialization-parameter.ts";

const highestPage = 10_000_000;
const mostPerPage = 1_000;
const defaultPerPage = 50;

const wholeNumber = z
  .string()
  .regex(/^\d{1,8}$/)
  .transform(Number);

/** Query parameters of a single object. */
export const objectParameters = z.object({ serialization: serializationParameter.optional() });

/** Query parameters of a list of objects. */
export const listParameters = z.object({
  page: wholeNumber.pipe(z.number().int().max(highestPage)).default(0).describe("Number of the page, from 0."),
  perPage: wholeNumber
    .pipe(z.number().int().min(1).max(mostPerPage))
    .default(defaultPerPage)
    .describe(`Objects on a page, at most ${mostPerPage}.`),
  query: queryParameter.optional(),
  serialization: serializationParameter.optional(),
});
