import type { CallLimits } from "../transport/deadline.ts";

/** What every call takes. */
export interface CallOptions extends CallLimits {
  /**
   * Whether the call may log in anew and be sent once more if its session is over. The server says so before it does
   * anything else, so that nothing is done twice; `false` for a macro that chooses one of these codes (200 to 204) itself.
   */
  readonly renew?: boolean | undefined;
}
