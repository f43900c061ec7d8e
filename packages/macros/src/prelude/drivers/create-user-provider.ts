import type { Caller } from "../../authoring/caller.ts";
import { servicesFor } from "../services.ts";
import { type Definition, functionOf } from "./driver.ts";

interface Argument {
  readonly userObject: unknown;
  readonly providerConfig: unknown;
  readonly userUuid: string;
  readonly name: string;
  readonly surname: string;
  readonly email: string;
  readonly caller: Caller;
}

/** The hook of a user who comes from an identity provider for the first time. What it gives is for the host to judge. */
export function createUserProvider(definition: Definition, given: Argument): unknown {
  const { userObject, providerConfig, userUuid, name, surname, email, caller } = given;
  return functionOf(definition, "run")(userObject, providerConfig, userUuid, name, surname, email, servicesFor(caller));
}
