import * as z from "zod";
import { operations } from "../operations.ts";

/** The findings about the database. */
export const examinationResponse = z
  .object({
    items: z.array(
      z.object({
        check: z.string().describe("Such as `schema`."),
        level: z.enum(["ok", "warning", "error"]),
        finding: z.string(),
        fix: z.string().nullable().describe("The remedy. `null` if none is needed."),
      }),
    ),
  })
  .meta({ id: "Examination" });

export type FindingData = z.infer<typeof examinationResponse>["items"][number];

/** The examination of the database. */
export const examinationOperations = operations("Operations", {
  examineDatabase: {
    method: "GET",
    path: "/admin/v1/examination",
    access: "session",
    summary: "Examine the database",
    description: "Checks schema, clock, rights, keys, providers, demo data and mail of the database. Changes nothing.",
    data: examinationResponse,
  },
});
