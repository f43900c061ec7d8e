import type { Caller } from "../../authoring/caller.ts";
import { servicesFor } from "../services.ts";
import { type Definition, functionOf } from "./driver.ts";

interface Argument {
  readonly user: string;
  readonly pass: string;
  readonly appNames: readonly string[];
  readonly caller: Caller;
}

/** The hook of log-ins of custom users. What it gives is for the host to judge. */
export function authenticate(definition: Definition, { user, pass, appNames, caller }: Argument): unknown {
  return functionOf(definition, "run")(user, pass, appNames, servicesFor(caller));
}
