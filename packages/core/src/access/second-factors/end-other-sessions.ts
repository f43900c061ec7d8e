import type { Digest } from "../../digests/index.ts";
import type { Entrance, ObjectId, Repositories, SessionSelector } from "../../storage/index.ts";

/** Whose sessions they are. */
export interface EnteredUser {
  readonly userId: ObjectId;
  readonly entrance: Entrance;
}

/** Ends the sessions that somebody has besides this one: they were opened without the factor that he has confirmed. */
export async function endOtherSessions(
  { sessions }: Pick<Repositories, "sessions">,
  user: EnteredUser,
  except?: Digest,
): Promise<void> {
  await sessions.end(selectorOf(user, except));
}

function selectorOf({ userId, entrance }: EnteredUser, except: Digest | undefined): SessionSelector {
  const excepted = except === undefined ? {} : { except };
  if (entrance.kind === "custom") return { customAccountId: entrance.accountId, ...excepted };
  if (entrance.kind === "provider" && entrance.link.value.shared) return { linkId: entrance.link.id, ...excepted };
  return { userId, ...excepted };
}
