import type { ObjectSet } from "../../authoring/hook-definition.ts";
import type { MacroContext } from "../../authoring/macro-definition.ts";
import type { Json } from "../../authoring/objects.ts";
import { Refusal } from "../../authoring/refusal.ts";
import type { Caller } from "../../authoring/services.ts";
import { checkInput } from "../check-input.ts";
import { ask } from "../host-calls.ts";
import { keys, toText } from "../primordials.ts";
import { servicesFor } from "../services.ts";
import { buildSerialization, changeEach, tellOfEach } from "./object-hooks.ts";
import { type Definition, type Driver, functionOf, type Surroundings } from "./driver.ts";

/** The drivers by the names that the host calls them. */
export const drivers: ReadonlyMap<string, Driver> = new Map<string, Driver>([
  ["run", run],
  ["declare", declare],
  ["buildSerialization", buildSerialization],
  ["findObjects", findObjects],
  ["beforeSave", changeEach],
  ["afterSave", tellOfEach],
  ["beforeDelete", tellOfEach],
  ["afterDelete", tellOfEach],
  ["authenticate", authenticate],
  ["createUserProvider", createUserProvider],
]);

interface RunArgument {
  readonly input?: unknown;
  readonly skipCheck: boolean;
  readonly caller: Caller;
}

async function call(name: string, input?: unknown): Promise<unknown> {
  const { result } = (await ask("call", { name, input })) as { result?: unknown };
  return result;
}

/** A macro: its input, its checker, then itself. */
async function run(
  definition: Definition,
  { input, skipCheck, caller }: RunArgument,
  { chooseStatus }: Surroundings,
): Promise<unknown> {
  if (definition["input"] !== undefined) checkInput(definition["input"], input);
  const setStatusMessage = (message: unknown): void => chooseStatus(toText(message));
  const context: MacroContext = { ...servicesFor(caller), input, call, setStatusMessage };
  if (!skipCheck && definition["check"] !== undefined && (await functionOf(definition, "check")(context)) !== true) {
    throw new Refusal(401);
  }
  // Awaited here: to give the promise on would ask it for a `then`, which the module may have replaced.
  return await functionOf(definition, "run")(context);
}

/** What a module says about itself: all that is data, and `true` for every function. */
function declare(definition: Definition): object {
  const declaration = Object.create(null) as Record<string, unknown>;
  for (const name of keys(definition)) {
    const value = definition[name];
    declaration[name] = typeof value === "function" ? true : value;
  }
  return declaration;
}

interface FindObjectsArgument {
  readonly className: string;
  readonly where?: Json;
  readonly sort?: readonly string[];
  readonly oids?: readonly string[];
  readonly caller: Caller;
}

/** A hook of lists: what it wants of the query. */
async function findObjects(
  definition: Definition,
  { className, where, sort, oids, caller }: FindObjectsArgument,
): Promise<object> {
  const narrowed: Json[] = [];
  const only: (readonly string[])[] = [];
  let order: readonly string[] | undefined;
  const objectSet: ObjectSet = {
    className,
    where,
    sort,
    oids,
    narrow: (further) => void (narrowed[narrowed.length] = further),
    order: (chosen) => void (order = chosen),
    only: (chosen) => void (only[only.length] = chosen),
  };
  const accepted = (await functionOf(definition, "run")(objectSet, servicesFor(caller))) === true;
  return { accepted, where: narrowed, ...(order === undefined ? {} : { sort: order }), oids: only };
}

interface AuthenticateArgument {
  readonly user: string;
  readonly pass: string;
  readonly appNames: readonly string[];
  readonly caller: Caller;
}

/** The hook of log-ins of custom users. What it gives is for the host to judge. */
function authenticate(definition: Definition, { user, pass, appNames, caller }: AuthenticateArgument): unknown {
  return functionOf(definition, "run")(user, pass, appNames, servicesFor(caller));
}

interface CreateUserProviderArgument {
  readonly userObject: unknown;
  readonly providerConfig: unknown;
  readonly userUuid: string;
  readonly name: string;
  readonly surname: string;
  readonly email: string;
  readonly caller: Caller;
}

/** The hook of a user who comes from an identity provider for the first time. What it gives is for the host to judge. */
function createUserProvider(definition: Definition, given: CreateUserProviderArgument): unknown {
  const { userObject, providerConfig, userUuid, name, surname, email, caller } = given;
  return functionOf(definition, "run")(userObject, providerConfig, userUuid, name, surname, email, servicesFor(caller));
}
