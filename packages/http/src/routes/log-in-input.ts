import type { logInRequest } from "@sallyport/contract";
import type { LogInInput } from "@sallyport/core";
import type { z } from "zod";

/** The fields of a log-in as the use cases take them. */
export function logInInput({ user, pass, appNames, device }: z.output<typeof logInRequest>): LogInInput {
  return { user, pass, appNames, deviceId: device?.deviceId?.trim() || null };
}
