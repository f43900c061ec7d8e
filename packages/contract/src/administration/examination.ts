import * as z from "zod";

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
