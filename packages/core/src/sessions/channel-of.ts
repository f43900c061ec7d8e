import type { Channel } from "../channels/channel-repository.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { NewSession } from "./session.ts";

const prefixLength = 3;

/** The channel to open with a session, `null` for a session that is not secure. What does not go together: 799. */
export function channelOf({ mode, channel }: Pick<NewSession, "mode" | "channel">): Channel | null {
  if (
    (mode === "secure") !== (channel !== undefined) ||
    (channel !== undefined && channel.ivPrefix.length !== prefixLength)
  ) {
    throw new ServiceError(799, { detail: "A session and its channel do not go together." });
  }
  return channel ?? null;
}
