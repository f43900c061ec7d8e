import { statement } from "../../../statement.ts";
import type { ThrottleStatements } from "../../../knex-throttle-repository.ts";
import type { Tables } from "../tables.ts";
import { storageTime } from "./storage-time.ts";

export function throttleStatements({
  attemptThrottle,
  failThrottle,
  passThrottle,
  throttle,
}: Tables): ThrottleStatements {
  return {
    attempt: statement("throttle_attempt", `call ${attemptThrottle}($1, $2)`),
    fail: statement("throttle_fail", `call ${failThrottle}($1, $2)`),
    pass: statement("throttle_pass", `call ${passThrottle}($1, $2, $3, $4, $5, $6, $7, $8, $9)`),
    sweep: statement(
      "throttle_sweep",
      `delete from ${throttle} where forget_at <= ${storageTime(2)} order by forget_at limit $1`,
    ),
  };
}
