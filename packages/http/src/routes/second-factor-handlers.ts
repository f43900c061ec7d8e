import type { secondFactorOperations } from "@sallyport/contract";
import {
  type FactorState,
  readSecondFactor,
  enrolSecondFactor,
  confirmSecondFactor,
  removeSecondFactor,
  validateSecondFactor,
} from "@sallyport/core";
import type { Handlers } from "../route.ts";

const statuses: Readonly<Record<FactorState["rule"], number>> = { unavailable: 0, off: 1, optional: 2, forced: 3 };

/** The second factor of the caller. */
export const secondFactorHandlers: Handlers<typeof secondFactorOperations> = {
  readSecondFactor: async (context, { query }) => {
    const { enrolled, confirmed, rule } = await readSecondFactor(context, query.app);
    return { data: { isActivated: enrolled, isConfirmed: confirmed, "2faStatus": statuses[rule] } };
  },
  enrolSecondFactor: async (context, { query }) => {
    const { secret, address, recoveryCodes } = await enrolSecondFactor(context, query.app);
    return { data: { secret, otpauthUrl: address, recoveryCodes } };
  },
  confirmSecondFactor: (context, { query, body }) => confirmSecondFactor(context, query.app, body?.token ?? null),
  removeSecondFactor: (context, { query, body }) => removeSecondFactor(context, query.app, body?.token ?? null),
  validateSecondFactor: (context, { query, body }) => validateSecondFactor(context, query.app, body?.token ?? null),
};
