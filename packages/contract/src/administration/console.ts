import * as z from "zod";
import { refusedWith } from "../fields.ts";
import { administrationRights, operations } from "../operations.ts";
import { time } from "./access.ts";
import { newUserRequest } from "./accounts.ts";

/** Every fault has the answer to a wrong ticket. */
const ticket = z
  .string(refusedWith(302))
  .min(1, refusedWith(302))
  .max(256, refusedWith(302))
  .describe("The ticket in the link that the server printed.");

/** Body of `POST /admin/v1/console/ticket`. */
export const consoleTicketRequest = z.object({ ticket }).meta({ id: "ConsoleTicketRequest" });

/** Body of `POST /admin/v1/console/setUp`. */
export const setUpRequest = z
  .strictObject({
    ticket,
    name: newUserRequest.shape.name,
    password: z.string().max(1_024),
    email: newUserRequest.shape.email,
  })
  .meta({ id: "SetUpRequest" });

/** `data` of the question for a set-up. */
export const setUpStateResponse = z
  .object({ needed: z.boolean().describe("Whether the database has no users.") })
  .meta({ id: "SetUpState" });

/** `data` of a traded ticket. */
export const consoleKeyResponse = z
  .object({
    appKey: z.string().describe("App key of scope `admin`. It cannot be shown again."),
    name: z.string().describe("Name of the key in the list of app keys."),
    expiresAt: time.describe("End of the key, ISO 8601."),
  })
  .meta({ id: "ConsoleKey" });

/** `data` of a session of the console. */
export const consoleSessionResponse = z
  .object({
    sessionId: z.string().describe("Send it as `sessionId`, with the app key of this request as `appkey`."),
  })
  .meta({ id: "ConsoleSession" });

export type ConsoleKeyData = z.infer<typeof consoleKeyResponse>;
export type SetUpRequestData = z.input<typeof setUpRequest>;
export type ConsoleSessionData = z.infer<typeof consoleSessionResponse>;

/** What the console in the browser needs besides the other routes. */
export const consoleOperations = operations("Access", {
  tradeConsoleTicket: {
    method: "POST",
    path: "/admin/v1/console/ticket",
    access: "ticket",
    summary: "Trade a ticket for an app key of the console",
    description:
      "A ticket is in the link that `sallyport-server console-link` prints. It can be used once, for 5 minutes. The app key of scope `admin` is valid for 12 hours, and an administrator can disable it. It opens nothing by itself: the log-in of an administrator follows. Failures count like those of log-ins.",
    body: { json: consoleTicketRequest, order: [302] },
    data: consoleKeyResponse,
    errors: [302],
  },
  askForSetUp: {
    method: "GET",
    path: "/admin/v1/console/setUp",
    access: "public",
    summary: "Tell whether the database needs a set-up",
    description: "A database without users gets its first administrator by `POST /admin/v1/console/setUp`.",
    data: setUpStateResponse,
  },
  setUp: {
    method: "POST",
    path: "/admin/v1/console/setUp",
    access: "ticket",
    secureOnly: true,
    summary: "Create the first administrator",
    description:
      "The ticket is in the link that `sallyport-server console-link --set-up` prints. It can be used once, for one hour, by TLS or from loopback, and a new one ends the former. A refused name or password does not use it up. The answer is that of a ticket of the console. With users in the database, every ticket is refused. Failures count like those of log-ins.",
    body: { json: setUpRequest, order: [302] },
    data: consoleKeyResponse,
    errors: [302, 320],
  },
  openConsoleSession: {
    method: "POST",
    path: "/admin/v1/console/session",
    access: "session",
    rights: administrationRights,
    proof: true,
    summary: "Open a session for the routes of applications",
    description:
      "Opens a session of the same person for the routes of applications, with the rights of that person. Send the app key of this request with its id. It ends with the session of this request, and a new one ends the former. The limits of sessions and seats do not apply. Bans and the app rules of `administration` do.",
    data: consoleSessionResponse,
    errors: [302, 318, 403],
  },
});
