import type { ErrorCode } from "@sallyport/storage/errors";
import * as z from "zod";
import { refusedWith, secondFactorTokens } from "../fields.ts";
import { logInRequest } from "../log-in.ts";

/** Body of `POST /admin/v1/login`. */
export const administrationLogInRequest = z
  .object({ user: logInRequest.shape.user, pass: logInRequest.shape.pass, "2faToken": secondFactorTokens })
  .meta({ id: "AdministrationLogInRequest" });

/** Precedence of the error codes of this body. */
export const administrationLogInFaultOrder: readonly ErrorCode[] = [301];

/** Body of `POST /admin/v1/proof`: one of both. */
export const proofRequest = z
  .object({
    pass: z.string().min(1).max(1_024).optional().describe("The own password, in the form of a log-in."),
    "2faToken": secondFactorTokens,
  })
  .refine((given) => (given.pass === undefined) !== !given["2faToken"], refusedWith(307))
  .meta({ id: "ProofRequest" });

/** A time as ISO 8601 in UTC. */
export const time = z.string().meta({ format: "date-time" });

const message = z
  .string()
  .nullable()
  .default(null)
  .describe("Text for users in every refusal. One line of 1 to 500 characters.");

/** Body of `PUT /admin/v1/maintenance`. */
export const maintenanceRequest = z
  .strictObject({
    active: z.boolean(),
    message,
    endsAt: z.iso.datetime({ offset: true }).nullable().default(null).describe("Expected end, ISO 8601."),
  })
  .meta({ id: "MaintenanceRequest" });

/** `data` about the maintenance of the database. */
export const maintenanceResponse = z
  .object({ active: z.boolean(), message: z.string().nullable(), endsAt: time.nullable() })
  .meta({ id: "Maintenance" });

/** Id of an object. */
export const objectId = z.string().regex(/^[1-9A-Z][0-9A-Z]{0,9}$/);

const maxPage = 500;

/** Query parameters of a list whose keys are text. */
export const pageParameters = z.object({
  after: z
    .string()
    .min(1)
    .max(1_024)
    // Databases store neither.
    .refine((text) => !/\0|\p{Surrogate}/u.test(text))
    .optional()
    .describe("`next` of the previous page."),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,2}$/)
    .transform(Number)
    .pipe(z.number().max(maxPage))
    .optional()
    .describe(`Maximum number of items, up to ${maxPage}. Default: 100.`),
});

/** `data` of a list. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    next: z.string().nullable().describe("Send it as `after` to get the next page. `null` at the end."),
  });
}

export type MaintenanceData = z.infer<typeof maintenanceResponse>;
export type MaintenanceRequestData = z.input<typeof maintenanceRequest>;
