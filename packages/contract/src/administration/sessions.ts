import * as z from "zod";
import { operations } from "../operations.ts";
import { comparable, endedResponse, objectId, ofUserParameters, pageOf, time } from "./access.ts";

/** A live session. */
export const administeredSession = z
  .object({
    id: z.string().describe("Public id. Opens nothing."),
    userId: z.string(),
    user: z.string().describe("Log-in name of the user or custom user."),
    method: z.enum(["password", "custom", "provider"]),
    mode: z.enum(["session", "token", "secure"]),
    appKey: z.string().describe("Name of the app key."),
    appNames: z.array(z.string()),
    reservedNames: z.array(z.string()).describe("App names whose seats the session has reserved."),
    deviceId: z.string().nullable(),
    address: z
      .string()
      .nullable()
      .describe("Address of the client at the log-in. `null` if the log-in was on a server of an earlier version."),
    enrolling: z.boolean().describe("Whether the session can only set up second factors."),
    since: time,
    lastSeen: time.describe("Up to 3 minutes before the last request, and more near `endsAt`."),
    expiresAt: time.describe("The session ends then, unless it is used."),
    endsAt: time.describe("The session ends then in any case."),
    bytes: z
      .object({ received: z.int().describe("By the server."), sent: z.int() })
      .describe(
        "Bytes of all requests and responses after the log-in, including their headers, as of the last minute.",
      ),
  })
  .meta({ id: "AdministeredSession" });

export const sessionsResponse = pageOf(administeredSession).meta({ id: "AdministeredSessions" });

const device = comparable(1_024).optional().describe("Device id, as the client sent it in the log-in.");

/** Query parameters of the list of sessions. */
export const sessionParameters = ofUserParameters.extend({
  device,
  app: comparable(512).optional().describe("App name of the log-in, or a reserved one."),
});

/** Query parameters that choose the sessions to end. */
export const endSessionsParameters = z
  .object({ user: objectId.optional().describe("Id of a user."), device })
  .refine(({ user, device: deviceId }) => user !== undefined || deviceId !== undefined);

export type AdministeredSessionData = z.infer<typeof administeredSession>;

/** Live sessions. */
export const liveSessionOperations = operations("Sessions", {
  listSessions: {
    method: "GET",
    path: "/admin/v1/sessions",
    access: "session",
    summary: "List the live sessions",
    query: sessionParameters,
    data: sessionsResponse,
  },
  endSession: {
    method: "DELETE",
    path: "/admin/v1/sessions/{id}",
    access: "session",
    summary: "End a session",
  },
  endSessions: {
    method: "DELETE",
    path: "/admin/v1/sessions",
    access: "session",
    summary: "End all sessions of a user, or of a device",
    description: "With both, those of the user on the device. The sessions of administrators have no device.",
    query: endSessionsParameters,
    data: endedResponse,
  },
});
