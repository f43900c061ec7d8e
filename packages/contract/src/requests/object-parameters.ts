import { z } from "zod";
import { flag } from "./flag.ts";
import { defaultPerPage, page, perPage } from "./page-numbers.ts";
import { queryParameter } from "./query-parameter.ts";
import { serializationParameter } from "./serialization-parameter.ts";

const wholeNumber = z
  .string()
  .regex(/^\d{1,8}$/)
  .transform(Number);

/** Characters; one that is longer was never given out. */
const longestCursor = 12_000;

/** Query parameters of a single object. */
export const objectParameters = z.object({ serialization: serializationParameter.optional() });

/** Query parameters of a change of many objects. */
export const updateParameters = z.object({
  // Whoever tries it out without a second thought should change nothing.
  query: queryParameter.meta({ description: "Which objects are changed; `{}` changes all.", examples: [{ oids: [] }] }),
});

/** Query parameters of a deletion. */
export const deleteParameters = z.object({
  moveToRecycler: flag.default(false).describe("Whether the object can be restored."),
});

/** Query parameters of a list of the recycle bin. */
export const recyclerParameters = z.object({
  perPage: wholeNumber.pipe(perPage).default(defaultPerPage).describe("Objects on a page."),
  cursor: z.string().min(1).max(longestCursor).optional().describe("Goes on where another page ended: its `~Cursor`."),
});

/** Query parameters of a purge of the recycle bin. */
export const purgeParameters = z.object({
  all: flag.default(false).describe("Whether what all users have recycled is purged; for administrators."),
});

/** Query parameters of a list of objects. */
export const listParameters = z.object({
  page: wholeNumber.pipe(page).default(0).describe("Number of the page, from 0."),
  perPage: wholeNumber.pipe(perPage).default(defaultPerPage).describe("Objects on a page."),
  cursor: z
    .string()
    .min(1)
    .max(longestCursor)
    .optional()
    .describe("Goes on where another page of the same query ended: its `~Cursor`. Instead of `page`."),
  count: z.literal("capped").optional().describe("`capped` stops counting at 5,000, which costs less."),
  query: queryParameter.optional(),
  serialization: serializationParameter.optional(),
});
