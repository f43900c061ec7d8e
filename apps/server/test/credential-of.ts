import type { ClientSession } from "@sallyport/client";
import { headerOf } from "./modes.ts";

/** The credential of a session, as sent in its header. */
export async function credentialOf(session: ClientSession): Promise<string> {
  const { headers } = await session.seal({ headers: {} });
  return (headers[headerOf[session.mode]] ?? "").replace("Bearer ", "");
}
