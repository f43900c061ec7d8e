import type { Caller } from "../../authoring/caller.ts";
import type { MacroContext } from "../../authoring/macro-definition.ts";
import { Refusal } from "../../authoring/refusal.ts";
import { checkInput } from "../check-input.ts";
import { ask } from "../host-calls.ts";
import { toText } from "../primordials.ts";
import { servicesFor } from "../services.ts";
import { type Definition, functionOf, type Surroundings } from "./driver.ts";

interface Argument {
  readonly input?: unknown;
  readonly skipCheck: boolean;
  readonly caller: Caller;
}

async function call(name: string, input?: unknown): Promise<unknown> {
  const { result } = (await ask("call", { name, input })) as { result?: unknown };
  return result;
}

/** A macro: its input, its checker, then itself. */
export async function run(
  definition: Definition,
  { input, skipCheck, caller }: Argument,
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
