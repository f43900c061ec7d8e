import type { ErrorCode } from "@sallyport/storage/errors";
import * as z from "zod";
import { refusedWith, secondFactorTokens } from "../fields.ts";
import { logInRequest, sessionLogInResponse } from "../log-in.ts";
import { administrationRights, operations } from "../operations.ts";
import { apiDescription } from "../service.ts";

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
  .refine((body) => (body.pass === undefined) !== !body["2faToken"], refusedWith(307))
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
    active: z.boolean().describe("Whether requests of clients are refused with 706."),
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

/** A text of a query that storage can compare. */
export const comparable = (length: number) =>
  z
    .string()
    .min(1)
    .max(length)
    // Databases store neither.
    .refine((text) => !/\0|\p{Surrogate}/u.test(text));

/** Query parameters of a list whose keys are text. */
export const pageParameters = z.object({
  after: comparable(1_024).optional().describe("`next` of the previous page."),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,2}$/)
    .transform(Number)
    .pipe(z.number().max(maxPage))
    .optional()
    .describe(`Maximum number of items, up to ${maxPage}. Default: 100.`),
});

/** Query parameters of a list that can be searched by name. */
export const searchParameters = pageParameters.extend({
  search: comparable(200)
    .optional()
    .describe("Part of the names. Also finds it in lower case, and with a capital first letter."),
});

/** Query parameters of a list that can be limited to one user. */
export const ofUserParameters = pageParameters.extend({
  user: objectId.optional().describe("Id of a user."),
});

export const endedResponse = z.object({ ended: z.int().describe("Number of ended sessions.") }).meta({ id: "Ended" });

/** `data` of a list. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    next: z.string().nullable().describe("Send it as `after` to get the next page. `null` at the end."),
  });
}

export type OwnRightsData = z.infer<typeof ownRightsResponse>;
export type MaintenanceData = z.infer<typeof maintenanceResponse>;
export type MaintenanceRequestData = z.input<typeof maintenanceRequest>;

/** `data` about the own rights. */
export const ownRightsResponse = z.object({ rights: z.enum(administrationRights) }).meta({ id: "OwnRights" });

/** Log-in, log-out, proof and rights of administrators. */
export const accessOperations = operations("Access", {
  logIn: {
    method: "POST",
    path: "/admin/v1/login",
    access: "secrets",
    summary: "Log in",
    description:
      "Opens a session for the administration routes. Accepts administrators only: for anyone else the answer is that to a wrong password. The limits of sessions and seats do not apply. A second factor is needed if the app name `administration` has such a rule.",
    body: { json: administrationLogInRequest, order: administrationLogInFaultOrder },
    data: sessionLogInResponse,
    errors: [301, 302, 318, 340, 341, 342, 403],
  },
  logOut: {
    method: "POST",
    path: "/admin/v1/logout",
    access: "session",
    rights: administrationRights,
    effect: "endsSession",
    summary: "Log out",
    errors: [703],
  },
  giveProof: {
    method: "POST",
    path: "/admin/v1/proof",
    access: "session",
    rights: administrationRights,
    summary: "Prove the password or the second factor again",
    description:
      "Routes that change keys, rights or credentials need a proof that is at most 10 minutes old, else 802. A log-in is such a proof. Send either the own password or a token.",
    body: { json: proofRequest },
    errors: [302, 304, 342],
  },
  getOwnRights: {
    method: "GET",
    path: "/admin/v1/rights",
    access: "session",
    rights: administrationRights,
    summary: "Get the own rights",
    description:
      "`all`: all operations. `view`: those that read, but not the audit. `audit`: the audit, and the lists of users and groups. The server looks at the rights with each request: an operation that needs others fails with 404.",
    data: ownRightsResponse,
  },
});

/** Maintenance of the database. */
export const maintenanceOperations = operations("Operations", {
  getMaintenance: {
    method: "GET",
    path: "/admin/v1/maintenance",
    access: "session",
    summary: "Get the maintenance mode",
    data: maintenanceResponse,
    versioned: true,
  },
  setMaintenance: {
    method: "PUT",
    path: "/admin/v1/maintenance",
    access: "session",
    summary: "Begin or end the maintenance",
    description: "During maintenance only the administration routes and their log-in work; all others fail with 706.",
    body: { json: maintenanceRequest },
    data: maintenanceResponse,
    versioned: true,
    conditional: true,
    errors: [713],
  },
});

/** The API description of the operations for administrators. */
export const administrationDescriptionOperations = operations("Access", {
  describeAdministration: {
    method: "GET",
    path: "/admin/v1/openapi.json",
    access: "public",
    summary: "Get the API description",
    description: "Returns this document. Needs no credentials.",
    data: apiDescription,
    answer: "document",
    compressed: true,
  },
});
