import { ServiceError } from "../../errors/service-error.ts";
import type { JsonValue } from "../../objects/stored-object.ts";
import type { HostCall } from "../macro-runtime.ts";
import type { MacroScope } from "../macro-scope.ts";
import type { HostAction } from "./host-action.ts";
import type { HostUseCases } from "./host-use-cases.ts";
import { readCalls } from "./read-calls.ts";
import type { RequestForms } from "./request-forms.ts";
import { writeCalls } from "./write-calls.ts";

/** Answers what modules ask of objects and of the clock. */
export class HostCalls {
  private readonly actions: ReadonlyMap<string, HostAction>;

  constructor(useCases: HostUseCases, forms: RequestForms) {
    this.actions = new Map([...readCalls(useCases, forms), ...writeCalls(useCases, forms)]);
  }

  /** With `reads`, what writes or holds is 307. */
  async answer(scope: MacroScope, { name, argument }: HostCall, reads: boolean): Promise<JsonValue | undefined> {
    const action = this.actions.get(name);
    if (action === undefined) throw new ServiceError(307, { detail: "There is no such call." });
    if (action.writes(argument)) {
      if (reads) throw new ServiceError(307, { detail: `${name}: not in a hook that only reads.` });
      await scope.begin();
    }
    const context = scope.current();
    return context.unit.attempt(() => action.run(context, argument));
  }
}
