import type { ClientSession } from "@sallyport/client";
import { headerOf } from "./modes.ts";

/** What proves a session, as it travels. */
export async function credentialOf(session: ClientSession): Promise<string> {
  const { headers } = await session.seal({ headers: {} });
  return (headers[headerOf[session.mode]] ?? "").replace("Bearer ", "");
}
