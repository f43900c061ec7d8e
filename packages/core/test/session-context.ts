import { type ObjectId, passwordAuthentication, type Principal } from "@sallyport/storage";
import type { AppKeyContext, SessionContext } from "../src/index.ts";
import { digests, type Fixture } from "./fixture.ts";

/** A request of a session of a user, under the current model. */
export async function sessionContext<Context extends AppKeyContext>(
  { context, r }: Pick<Fixture, "r"> & { readonly context: Context },
  who: Partial<Principal> = {},
  name = "session",
): Promise<Context & SessionContext> {
  const { generation } = await r.model.load();
  const userId: ObjectId = who.userId ?? "ZZZ";
  const sessionDigest = digests.sha256(name);
  const session = {
    mode: "session",
    appKeyId: context.appKey.id,
    userId,
    appNames: [],
    reservedNames: [],
    enrolling: false,
    deviceId: null,
    authenticationMethod: passwordAuthentication,
  } as const;
  return {
    ...context,
    modelGeneration: generation,
    session,
    sessionDigest,
    appKeyDigest: digests.sha256("key"),
    sessionEndedCode: 201,
    principal: { userId, groups: [], administrator: false, ...who },
  };
}
