import type { FaultFixture } from "./fault-fixture.ts";
import { either } from "./write-operation.ts";

/** Counts live sessions and audit events of a request, and returns the changes since. */
export async function watchRequest(
  { storage: { repositories: r } }: FaultFixture,
  requestId: string,
  expected: { readonly sessions: number; readonly event: string },
) {
  const last = async () => Math.max(0, ...(await r.audit.read(0, 100_000)).map(({ sequence }) => sequence));
  const [before, after] = [await r.sessions.count(), await last()];
  return async () => {
    const events = (await r.audit.read(after, 1_000)).filter(
      (event) => event.requestId === requestId && event.type === expected.event,
    );
    return either([(await r.sessions.count()) - before, events.length], [0, 0], [expected.sessions, 1]);
  };
}
