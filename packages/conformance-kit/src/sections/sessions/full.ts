import type { NewSession, Repositories, SessionPolicy } from "@sallyport/core";
import { failsWith } from "../../assert/index.ts";
import { generous } from "../../fixtures/policy.ts";
import type { Visitor } from "../../fixtures/visitor.ts";

/** Demands that one more session is refused with 315 under these limits. */
export async function isFull(
  r: Repositories,
  visitor: Visitor,
  limits: Partial<SessionPolicy>,
  what = "opening one more",
  properties?: Partial<NewSession>,
): Promise<void> {
  await failsWith(315, () => r.sessions.open(visitor.newSession(properties), { ...generous, ...limits }), what);
}
