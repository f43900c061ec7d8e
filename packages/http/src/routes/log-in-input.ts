import { logInCredentials, logInFaultOrder, logInOptions, logInRequest, parseFields } from "@sallyport/contract";
import { acceptAppNames, type AppKeyContext, type LogInInput } from "@sallyport/core";
import type { z } from "zod";

/** The rule of a log-in body: its credentials are checked with the body, its other members by `logInInput`. */
export const logInBody = {
  schema: logInRequest,
  faultOrder: logInFaultOrder,
  alternative: () => ({ schema: logInCredentials, faultOrder: logInFaultOrder }),
};

/** The fields of a log-in as the use cases take them. An app name that cannot be used (208, 210) is answered before a fault of another member. */
export async function logInInput(
  context: AppKeyContext,
  fields: z.output<typeof logInCredentials>,
): Promise<LogInInput> {
  const { user, pass, appNames } = fields;
  try {
    const { device, "2faToken": token, "2faEnrol": enrol } = parseFields(logInOptions, fields, []);
    return {
      user,
      pass,
      appNames,
      deviceId: device?.deviceId?.trim() || null,
      secondFactor: { token: token ?? null, enrol: enrol ?? false },
    };
  } catch (error) {
    await acceptAppNames(context, appNames);
    throw error;
  }
}
