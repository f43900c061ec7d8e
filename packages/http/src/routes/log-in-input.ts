import type { logInRequest } from "@sallyport/contract";
import type { LogInInput } from "@sallyport/core";
import type { z } from "zod";

/** The fields of a log-in as the use cases take them. */
export function logInInput({ user, pass, appNames, device, "2faToken": token, "2faEnrol": enrol }: z.output<typeof logInRequest>): LogInInput {
  return { user, pass, appNames, deviceId: device?.deviceId?.trim() || null, secondFactor: { token: token ?? null, enrol: enrol ?? false } };
}
