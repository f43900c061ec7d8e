import { CreateAccount, Gate, GetObject, ListObjects, LogIn, LogOut, SerializeOwnUser, VerifyPassword } from "@sallyport/core";
import type { Container } from "inversify";
import { identifiers } from "../identifiers.ts";

/** What the domain can do. */
export function bindUseCases(container: Container): void {
  const { digests, random, hasher, gate, verifyPassword, serializeOwnUser } = identifiers;
  container.bind(gate).toResolvedValue((...parts) => new Gate(...parts), [digests, random]);
  container.bind(verifyPassword).toResolvedValue((...parts) => new VerifyPassword(...parts), [hasher, digests]);
  container.bind(identifiers.createAccount).toResolvedValue((...parts) => new CreateAccount(...parts), [hasher, digests]);
  container.bind(serializeOwnUser).toDynamicValue(() => new SerializeOwnUser());
  container
    .bind(identifiers.logIn)
    .toResolvedValue((...parts) => new LogIn(...parts), [gate, verifyPassword, serializeOwnUser]);
  container.bind(identifiers.logOut).toDynamicValue(() => new LogOut());
  container.bind(identifiers.getObject).toDynamicValue(() => new GetObject());
  container.bind(identifiers.listObjects).toDynamicValue(() => new ListObjects());
}
