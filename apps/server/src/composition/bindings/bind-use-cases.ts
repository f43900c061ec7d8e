import {
  CreateAccount,
  EnterWithPassword,
  Gate,
  GetObject,
  ListObjects,
  LogIn,
  LogInSecurely,
  LogInWithBoth,
  LogInWithToken,
  LogOut,
  SerializeOwnUser,
  VerifyPassword,
} from "@sallyport/core";
import type { Container } from "inversify";
import { identifiers } from "../identifiers.ts";

/** What the domain can do. */
export function bindUseCases(container: Container): void {
  const { digests, random, hasher, gate, verifyPassword, serializeOwnUser, enterWithPassword, tokens, channelSecrets } = identifiers;
  container.bind(gate).toResolvedValue((...parts) => new Gate(...parts), [digests, random]);
  container.bind(verifyPassword).toResolvedValue((...parts) => new VerifyPassword(...parts), [hasher, digests]);
  container.bind(identifiers.createAccount).toResolvedValue((...parts) => new CreateAccount(...parts), [hasher, digests]);
  container.bind(serializeOwnUser).toDynamicValue(() => new SerializeOwnUser());
  container
    .bind(enterWithPassword)
    .toResolvedValue((...parts) => new EnterWithPassword(...parts), [gate, verifyPassword, serializeOwnUser]);
  container.bind(identifiers.logIn).toResolvedValue((...parts) => new LogIn(...parts), [enterWithPassword]);
  container
    .bind(identifiers.logInWithToken)
    .toResolvedValue((...parts) => new LogInWithToken(...parts), [enterWithPassword, tokens]);
  container.bind(identifiers.logInWithBoth).toResolvedValue((...parts) => new LogInWithBoth(...parts), [enterWithPassword, tokens]);
  container
    .bind(identifiers.logInSecurely)
    .toResolvedValue((...parts) => new LogInSecurely(...parts), [enterWithPassword, channelSecrets, random]);
  container.bind(identifiers.logOut).toDynamicValue(() => new LogOut());
  container.bind(identifiers.getObject).toDynamicValue(() => new GetObject());
  container.bind(identifiers.listObjects).toDynamicValue(() => new ListObjects());
  container.bind(identifiers.useCases).toDynamicValue(async ({ getAsync }) => ({
    logIn: await getAsync(identifiers.logIn),
    logInWithToken: await getAsync(identifiers.logInWithToken),
    logInWithBoth: await getAsync(identifiers.logInWithBoth),
    logInSecurely: await getAsync(identifiers.logInSecurely),
    logInMessages: await getAsync(identifiers.logInMessages),
    keyRings: await getAsync(identifiers.keyRings),
    logOut: await getAsync(identifiers.logOut),
    getObject: await getAsync(identifiers.getObject),
    listObjects: await getAsync(identifiers.listObjects),
  }));
}
